import { describe, expect, test } from "vitest";
import { assumed, type IpSet } from "../../model/index.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { sourceOf } from "../source.ts";
import { applyIpset, dialects, parseIpsetCommand, printList, printSave } from "./index.ts";
import { SET_TYPES } from "./types.ts";

const dialect = (id: string) => dialects.find((d) => d.id === id)!;
const read = (id: string, text: string, context: DumpContext = {}): Reading =>
  dialect(id).read(sourceOf("ipset.txt", text), context);
const setsOf = (reading: Reading): readonly IpSet[] => reading.facts.flatMap((f) => (f.kind === "ipset" ? f.sets : []));
const collection = (reading: Reading) => reading.facts.flatMap((f) => (f.kind === "ipset" ? [f.extent] : []))[0];

const listing = `Name: LB
Type: hash:ip,port
Revision: 5
Header: family inet hashsize 1024 maxelem 65536
Size in memory: 200
References: 2
Number of entries: 3
Members:
10.0.0.1,tcp:80
10.0.0.1,udp:53
10.0.0.2,icmp:echo-request
`;
const grep: DumpContext["partial"] = { value: "through grep", by: "command" };

describe("ipset list", () => {
  test("entries are typed", () => {
    const [set] = setsOf(read("ipset-list", listing));
    expect(set!.entries.map((e) => e.parts)).toEqual([
      [
        { kind: "address", from: 0x0a000001, length: 32 },
        { kind: "port", protocol: 6, from: 80, to: 80 },
      ],
      [
        { kind: "address", from: 0x0a000001, length: 32 },
        { kind: "port", protocol: 17, from: 53, to: 53 },
      ],
      [
        { kind: "address", from: 0x0a000002, length: 32 },
        { kind: "icmp", protocol: 1, type: 8, code: 0 },
      ],
    ]);
    expect(set!.entries[2]!.origin).toEqual({ kind: "read", file: "ipset.txt", line: 11 });
  });
  test("all sets are the whole collection, one by name is whole itself and says nothing of others", () => {
    const two = `${listing}\n${listing.replace("LB", "OTHER")}`;
    expect(collection(read("ipset-list", two))).toBe("whole");
    expect(collection(read("ipset-list", two, { command: ["ipset", "list"] }))).toBe("whole");
    const one = read("ipset-list", listing, { command: ["ipset", "list", "LB"] });
    expect([collection(one), setsOf(one)[0]!.extent]).toEqual(["partial", "whole"]);
    expect(collection(read("ipset-list", listing))).toBe("partial");
    expect(collection(read("ipset-list", listing, { command: ["ipset", "-L"] }))).toBe("whole");
  });
  test("terse: members are not known, unless there are none", () => {
    const terse = listing.slice(0, listing.indexOf("Members:"));
    const context = { command: ["ipset", "list", "-t"] };
    expect(setsOf(read("ipset-list", terse, context))[0]!.extent).toBe("partial");
    const empty = setsOf(read("ipset-list", terse.replace("entries: 3", "entries: 0"), context));
    expect(empty[0]!.extent).toBe("whole");
    expect(printList(setsOf(read("ipset-list", terse, context)), true)).toBe(terse);
  });
  test("a count that disagrees makes the set partial, with a note", () => {
    const cut = listing.replace("10.0.0.1,udp:53\n", "");
    const reading = read("ipset-list", cut, { command: ["ipset", "list"] });
    expect(setsOf(reading)[0]!.extent).toBe("partial");
    expect(reading.diagnostics.map((d) => [d.code, d.severity, d.line])).toEqual([["ipset-count-differs", "note", 1]]);
  });
  test("through grep only members are left: the command names the set, their shape its type", () => {
    const reading = read("ipset-list", "10.0.0.1,tcp:443\n10.0.0.1,tcp:80\n", {
      command: ["ipset", "list", "LB"],
      partial: grep,
    });
    expect(reading.diagnostics).toEqual([]);
    expect(setsOf(reading)[0]).toMatchObject({
      name: "LB",
      method: "hash",
      dimensions: ["ip", "port"],
      inferredType: true,
      extent: "partial",
    });
    expect(setsOf(reading)[0]!.entries.length).toBe(2);
  });
  test("members of no set are complained of and not guessed at", () => {
    const reading = read("ipset-list", "10.0.0.1,tcp:443\n10.0.0.2,tcp:80\n");
    expect(setsOf(reading)).toEqual([]);
    expect(reading.diagnostics.map((d) => d.code)).toEqual(["ipset-unknown-set", "ipset-stray-line"]);
  });
  test("through head, a full count shows that nothing is missing", () => {
    const context: DumpContext = {
      command: ["ipset", "list", "LB"],
      partial: { value: "through head", by: "command" },
    };
    expect(setsOf(read("ipset-list", listing, context))[0]!.extent).toBe("whole");
    expect(setsOf(read("ipset-list", listing.replace(/10\.0\.0\.2.*\n/, ""), context))[0]!.extent).toBe("partial");
  });
  test("an ellipsis is a cut", () => {
    const old = listing.replace("Number of entries: 3\n", "").replace("10.0.0.1,udp:53", "...");
    const reading = read("ipset-list", old);
    expect([setsOf(reading)[0]!.extent, reading.diagnostics]).toEqual(["partial", []]);
  });
  test("what is not understood of a member stays, with a caret under it", () => {
    const reading = read("ipset-list", listing.replace("udp:53", "udp:5x3 frob 7"));
    const entry = setsOf(reading)[0]!.entries[1]!;
    expect(entry.parts[1]).toEqual({ kind: "unknown", text: "udp:5x3" });
    expect(entry.unknown).toBe("frob 7");
    expect(reading.diagnostics.map((d) => [d.line, d.column, d.length, d.severity])).toEqual([
      [10, 10, 7, "warning"],
      [10, 18, 4, "warning"],
      [10, 23, 1, "warning"],
    ]);
    expect(printList(setsOf(reading))).toBe(listing.replace("udp:53", "udp:5x3 frob 7"));
  });
  test("an unknown type keeps nothing and says so", () => {
    const reading = read("ipset-list", "Name: X\nType: hash:frob\nHeader: a 1\nMembers:\nfoo\n");
    expect(setsOf(reading)).toEqual([]);
    expect(reading.diagnostics.map((d) => d.code)).toContain("ipset-unknown-type");
    expect(reading.diagnostics.map((d) => d.line)).toContain(5);
  });
  test("comments may hold quotes and words of the options", () => {
    const text = 'a comment "say "hi" timeout skbmark" skbqueue 3';
    const list = `Name: L\nType: list:set\nRevision: 3\nHeader: size 8 comment skbinfo\nMembers:\n${text}\n`;
    const [set] = setsOf(read("ipset-list", list));
    expect(set!.entries[0]).toMatchObject({ comment: 'say "hi" timeout skbmark', skbqueue: 3 });
    expect(printList([set!])).toBe(list);
  });
});

describe("ipset save", () => {
  const save = `create s0 hash:net family inet hashsize 1024 maxelem 65536 timeout 100 counters comment skbinfo bucketsize 12 initval 0xe61114a7
add s0 10.0.0.0/8 timeout 99 nomatch packets 1 bytes 2 comment "a b" skbmark 0x10/0xff skbprio 1:2 skbqueue 3
create we ird hash:ip family inet hashsize 1024 maxelem 65536
add we ird 10.0.0.1
create all list:set size 8
add all s0
`;
  test("is printed back, even a set whose name has a blank", () => {
    const reading = read("ipset-save", save);
    expect(reading.diagnostics).toEqual([]);
    expect(printSave(setsOf(reading))).toBe(save);
    expect(collection(reading)).toBe("whole");
  });
  test("grepped add lines make a partial set of the shape they have", () => {
    const reading = read("ipset-save", "add LB 10.0.0.1,tcp:80\n", { command: ["ipset", "save"], partial: grep });
    expect(setsOf(reading)[0]).toMatchObject({
      name: "LB",
      dimensions: ["ip", "port"],
      inferredType: true,
      extent: "partial",
    });
    expect(collection(reading)).toBe("partial");
  });
  test("restore input: -exist may have found members, flush takes them all, del takes one", () => {
    const script = `create a hash:ip -exist
add a 10.0.0.1 -exist
create b hash:ip -exist
flush b
add b 10.0.0.2
add b 10.0.0.3
del b 10.0.0.2
`;
    const reading = read("ipset-save", script);
    expect(reading.diagnostics).toEqual([]);
    expect(setsOf(reading).map((s) => [s.name, s.extent, s.entries.length])).toEqual([
      ["a", "partial", 1],
      ["b", "whole", 1],
    ]);
  });
  test("a line that is none is complained of", () => {
    expect(read("ipset-save", "create x hash:frob\nfrobnicate y\n").diagnostics.map((d) => d.code)).toEqual([
      "ipset-bad-command",
      "ipset-bad-command",
    ]);
  });
});

describe("commands", () => {
  const origin = assumed("test");
  const parse = (line: string) => read("ipset-commands", line);
  test.each([
    "ipset create foo hash:ip",
    "ipset -! add foo 1.1.1.1",
    "sudo ipset add foo 10.0.0.1 comment 'a b'",
    "/usr/sbin/ipset del foo 10.0.0.1 || true",
    "ipset flush",
    "ipset -exist create foo list:set",
    "ipset n foo hash:net family inet6",
  ])("%s is claimed and read", (line) => {
    expect(dialect("ipset-commands").claim(line)).toBe("line");
    expect(parse(line).diagnostics).toEqual([]);
    expect(parse(line).counts).toEqual({ commands: 1 });
  });
  test.each([
    ["ipset add foo", "add lacks an element"],
    ["ipset create foo hash:frob", "`hash:frob` is not a type of set"],
    ["ipset create foo bitmap:ip range 10.0.0.0/8", "`10.0.0.0/8` holds more than the 65536 elements of a bitmap"],
    ["ipset create foo hash:ip frob", "`frob` is not an option of a set"],
    ["ipset add foo 10.0.0.1,tcp:99999", "`tcp:99999` is not a port or range of ports"],
    ["ipset add foo 10.0.0.1 skbmark 16", "`16` is not a mark, or a mark and mask, in hexadecimal"],
  ])("%s: %s", (line, message) => expect(parse(line).diagnostics.map((d) => d.message)).toContain(message));

  const words = (line: string) => line.split(" ").map((text, column) => ({ text, column }));
  const commands = (...lines: string[]) => lines.map((l) => parseIpsetCommand(words(l), origin).command!);
  const empty = { sets: [], extent: "whole" as const };
  test("a hole in a range leaves its two sides", () => {
    const { state, refused } = applyIpset(
      empty,
      commands("create s hash:ip,port", "add s 10.0.0.1-10.0.0.9,tcp:80-90", "del s 10.0.0.5,tcp:85"),
    );
    expect(refused).toEqual([]);
    expect(printSave(state.sets)).toBe(`create s hash:ip,port
add s 10.0.0.1-10.0.0.4,tcp:80-90
add s 10.0.0.6-10.0.0.9,tcp:80-90
add s 10.0.0.5,tcp:80-84
add s 10.0.0.5,tcp:86-90
`);
  });
  test("what is refused is said, and changes nothing", () => {
    const { refused } = applyIpset(
      empty,
      commands(
        "create s hash:ip",
        "create s hash:ip",
        "add s 10.0.0.1",
        "add s 10.0.0.1",
        "del s 10.0.0.2",
        "add t 10.0.0.1",
      ),
    );
    expect(refused.map((r) => r.reason)).toEqual([
      "a set s exists already",
      "10.0.0.1 is in the set already",
      "10.0.0.2 is not in the set",
      "there is no set t",
    ]);
  });
  test("what was not shown is not taken for absent", () => {
    const partial = { sets: setsOf(read("ipset-list", listing)).map((s) => ({ ...s, extent: "partial" as const })) };
    const { state, refused } = applyIpset(
      { ...partial, extent: "partial" },
      commands("del LB 10.9.9.9,tcp:1", "add UNSEEN 10.0.0.1,tcp:80", "flush GONE"),
    );
    expect(refused).toEqual([]);
    expect(state.sets.map((s) => [s.name, s.extent])).toEqual([
      ["LB", "partial"],
      ["UNSEEN", "partial"],
    ]);
  });
});

describe("recognition", () => {
  test.each([
    ["ipset-list", ["ipset", "list"]],
    ["ipset-list", ["ipset", "-L", "X"]],
    ["ipset-list", ["/sbin/ipset", "l"]],
    ["ipset-list", ["ipset", "list", "-t"]],
    ["ipset-save", ["ipset", "save"]],
    ["ipset-save", ["ipset", "list", "-o", "save"]],
    ["ipset-xml", ["ipset", "list", "-o", "xml"]],
    ["ipset-names", ["ipset", "list", "-n"]],
  ])("%s is printed by %j alone", (id, command) => {
    expect(dialects.filter((d) => d.printedBy(command)).map((d) => d.id)).toEqual([id]);
  });
  test.each([["ipset", "add", "x", "1.1.1.1"], ["ipset"], ["iptables", "-L"], []])(
    "%j prints none of it",
    (...command) => {
      expect(dialects.filter((d) => d.printedBy(command)).map((d) => d.id)).toEqual([]);
    },
  );
  test("prose is no listing", () => {
    for (const line of ["The set has the name foo", "add the rule to the table", "see 10.0.0.1 for more"]) {
      expect(["no", "maybe"]).toContain(dialect("ipset-list").claim(line));
      expect(["no", "maybe"]).toContain(dialect("ipset-save").claim(line));
    }
    expect(dialect("ipset-list").claim("see 10.0.0.1 for more")).toBe("no");
  });
  test("every type has a name that reads back", () => {
    for (const name of SET_TYPES) expect(read("ipset-save", `create x ${name} range 0-1\n`).counts.sets).toBe(1);
  });
});
