import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { VirtualService } from "../../packages/core/src/model/index.ts";
import type { DumpContext, Reading } from "../../packages/core/src/parse/dialect.ts";
import {
  dialects,
  IpvsTable,
  parseIpvsCommand,
  printListing,
  printSave,
  serviceId,
} from "../../packages/core/src/parse/ipvs/index.ts";
import { shellWords } from "../../packages/core/src/parse/shell-words.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";

/** Recorded from ipvsadm 1.31 on Linux 6.1 (HZ 250); every section begins with `@@ ` and the command. */
const fixture = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url)), "utf8");
const sections = (name: string): [string, string][] =>
  fixture(name)
    .split(/^@@ /m)
    .slice(1)
    .map((s) => [s.slice(0, s.indexOf("\n")), s.slice(s.indexOf("\n") + 1)]);
const recorded = sections("listings.txt");
const output = (command: string): string => recorded.find(([c]) => c === command)![1];

const read = (text: string, command: string, context: DumpContext = {}): Reading => {
  const words = command.replace(/ #.*/, "").split(" ");
  const dialect = dialects.find((d) => d.printedBy(words))!;
  return dialect.read(sourceOf("ipvs.txt", text), { command: words, ...context });
};
const servicesOf = (reading: Reading): readonly VirtualService[] =>
  reading.facts.flatMap((f) => (f.kind === "ipvs" ? f.services : []));
const connectionsOf = (reading: Reading) =>
  reading.facts.flatMap((f) => (f.kind === "ipvs-connections" ? f.connections : []));

const tables = recorded.filter(([c]) => /^ipvsadm -[lL]n?(?: |$)/.test(c) && !/timeout|daemon|-l?n?c/.test(c));

describe("what ipvsadm prints", () => {
  test.each(tables)("%s is read line by line", (command, text) => {
    const reading = read(text, command);
    const names =
      command === "ipvsadm -l" ? ["`web.example:http` is not an address and port; names are not resolved"] : [];
    expect(reading.diagnostics.map((d) => d.message)).toEqual(names);
    expect(reading.counts.services! + reading.counts.servers!).toBe(
      text.split("\n").filter((l) => /^(?:TCP|UDP|SCTP|FWM)|^ {2}-> [^R]/.test(l)).length - names.length,
    );
    const dialect = dialects.find((d) => d.id === "ipvsadm-ln")!;
    for (const line of text.trimEnd().split("\n")) expect(dialect.claim(line), line).not.toBe("no");
  });

  const plain = tables.filter(([c]) => /^ipvsadm -[lL]n(?: --nosort| -[tuf] .*)?$/.test(c));
  test.each(plain)("%s is printed back byte for byte", (command, text) => {
    const size = text.startsWith("IP Virtual Server") ? 4096 : undefined;
    expect(printListing(servicesOf(read(text, command)), size)).toBe(text);
  });

  test("ipvsadm -Sn is printed back byte for byte", () => {
    const reading = read(output("ipvsadm -Sn"), "ipvsadm -Sn");
    expect(reading.diagnostics).toEqual([]);
    expect(printSave(servicesOf(reading))).toBe(output("ipvsadm -Sn"));
    expect(reading.facts[0]).toMatchObject({ extent: "whole" });
  });

  test("ipvsadm -S with names reads the same, but for the host it cannot resolve", () => {
    const reading = read(output("ipvsadm -S"), "ipvsadm -S");
    expect(reading.diagnostics.map((d) => d.text)).toEqual(["-a -t 10.96.0.19:http -r web.example:http -g -w 1"]);
    const numeric = output("ipvsadm -Sn").replace("-a -t 10.96.0.19:80 -r 10.9.0.1:80 -g -w 1\n", "");
    expect(printSave(servicesOf(reading))).toBe(numeric);
    expect(reading.facts[0]).toMatchObject({ extent: "whole" });
    const cut = servicesOf(reading).filter((s) => s.extent === "partial");
    expect(cut.map((s) => serviceId(s.key))).toEqual(["6 10.96.0.19 80"]);
  });

  const same = (a: VirtualService) => ({
    key: a.key,
    scheduler: a.scheduler,
    persistence: a.persistence,
    mask: a.persistenceMask,
    servers: a.realServers.map((s) => [s.address, s.port, s.method, s.weight]),
  });
  const byId = (services: readonly VirtualService[]) =>
    Object.fromEntries(services.map((s) => [serviceId(s.key), same(s)]));

  test("/proc/net/ip_vs says the same as ipvsadm -ln", () => {
    const proc = read(output("cat /proc/net/ip_vs"), "cat /proc/net/ip_vs");
    expect(proc.diagnostics.map((d) => [d.code, d.severity])).toEqual([["ipvs-ticks", "note"]]);
    const listed = servicesOf(read(output("ipvsadm -Ln --nosort"), "ipvsadm -Ln --nosort"));
    // The kernel does not print the family of a mark, and of an IPv6 service not that it is one-packet.
    expect(byId(servicesOf(proc))).toEqual(byId(listed));
  });

  test("-Sn and -ln agree", () => {
    const saved = servicesOf(read(output("ipvsadm -Sn"), "ipvsadm -Sn"));
    const listed = servicesOf(read(output("ipvsadm -ln"), "ipvsadm -ln"));
    expect(byId(saved)).toEqual(byId(listed));
    expect(saved.map((s) => [s.onePacket, s.schedulerFlags, s.persistenceEngine])).toEqual(
      listed.map((s) => [s.onePacket, s.schedulerFlags, s.persistenceEngine]),
    );
  });

  test("each form shows its own columns and says what it leaves out", () => {
    const find = (command: string, id: string) =>
      servicesOf(read(output(command), command)).find((s) => serviceId(s.key) === id)!;
    expect(find("ipvsadm -ln --thresholds", "6 10.96.0.14 80").realServers[0]).toMatchObject({
      upperThreshold: 100,
      lowerThreshold: 50,
      method: "unknown",
      notShown: ["method", "weight"],
    });
    expect(find("ipvsadm -ln --persistent-conn", "6 10.96.0.1 443").realServers[1]).toMatchObject({
      weight: 0,
      persistentConnections: 0,
      notShown: ["method"],
    });
    expect(find("ipvsadm -ln --stats # again", "6 10.96.0.1 443")).toMatchObject({
      scheduler: "unknown",
      notShown: ["scheduler", "persistence", "onePacket"],
      stats: { connections: 3, inPackets: 3, outPackets: 0, inBytes: 180, outBytes: 0 },
    });
    expect(find("ipvsadm -ln --rate", "6 10.96.0.1 443").rate).toBeDefined();
    expect(find("ipvsadm -ln --tun-info", "6 10.96.0.13 80").realServers.map((s) => s.tunnel)).toEqual([
      { type: "ipip" },
      { type: "gue", port: 6080, checksum: "nocsum" },
      { type: "gue", port: 6080, checksum: "csum" },
      { type: "gue", port: 6080, checksum: "remcsum" },
      { type: "gre", checksum: "csum" },
      { type: "gre", checksum: "nocsum" },
    ]);
  });

  test("all services are whole, one service asked for says nothing of others", () => {
    const all = read(output("ipvsadm -ln"), "ipvsadm -ln");
    expect(all.facts[0]).toMatchObject({ extent: "whole" });
    expect(new Set(servicesOf(all).map((s) => s.extent))).toEqual(new Set(["whole"]));
    const one = read(output("ipvsadm -ln -f 1"), "ipvsadm -ln -f 1");
    expect(one.facts[0]).toMatchObject({ extent: "partial", services: [{ extent: "whole" }] });
  });

  test.each(["ipvsadm -lnc", "ipvsadm -lc", "ipvsadm -lnc --persistent-conn", "cat /proc/net/ip_vs_conn"])(
    "%s lists five connections, one of them a persistence template",
    (command) => {
      const reading = read(output(command), command);
      expect(reading.diagnostics).toEqual([]);
      expect(reading.facts[0]).toMatchObject({ extent: "whole" });
      const connections = connectionsOf(reading);
      expect(connections.map((c) => [c.state, c.clientPort, c.virtualPort, c.realPort])).toEqual([
        ["SYN_RECV", 60128, 443, 6443],
        ["SYN_RECV", 51850, 80, 8080],
        ["SYN_RECV", 60112, 443, 6443],
        ["SYN_RECV", 60126, 443, 6443],
        ["NONE", 0, 443, 6443],
      ]);
    },
  );
  test.each(sections("udp-connections.txt"))("%s of UDP is read", (command, text) => {
    const reading = read(text, command);
    expect(reading.diagnostics).toEqual([]);
    for (const c of connectionsOf(reading)) expect(c).toMatchObject({ protocol: 17, virtualPort: 53, realPort: 53 });
  });
});

describe("what ipvsadm does", () => {
  /** 509 commands typed in a row: `> ` the command, then what it complained of; `= save` the table every ten commands. */
  test("every command of a session is taken or refused as the kernel did, and leaves the same table", () => {
    let table = new IpvsTable({ services: [], extent: "whole" });
    const wrong: string[] = [];
    let commands = 0;
    let saves = 0;
    const blocks = (text: string): string[] => text.split(/^(?=-A )/m).sort();
    for (const step of fixture("session.txt").split(/^(?=[>=] )/m)) {
      const [first = "", ...rest] = step.trimEnd().split("\n");
      if (first === "= save") {
        saves++;
        // A command may leave out the tunnel's type; ipvsadm 1.31 then prints the default.
        const printed = printSave(table.state.services).replace(/ -i -w \d+$/gm, "$& --tun-type ipip");
        expect(blocks(servers(printed))).toEqual(blocks(servers(`${rest.join("\n")}\n`)));
        continue;
      }
      commands++;
      // Debian's /etc/services has http for TCP alone; names are taken for every protocol here.
      if (first.includes(":http") && rest[0]?.startsWith("illegal real server address")) continue;
      const { command, problem } = parseIpvsCommand(shellWords(first, 2), { kind: "assumed", rule: "test" });
      const reason = problem?.message ?? table.apply(command!);
      if ((reason === undefined) !== (rest.length === 0)) wrong.push(`${first}: ${rest.join()} / ${reason}`);
      else if (problem === undefined && rest.length > 0) expect(`${first}: ${reason}`).toBe(`${first}: ${rest.join()}`);
    }
    expect(wrong).toEqual([]);
    expect([commands, saves]).toEqual([509, 50]);
    table = new IpvsTable(table.state);
    expect(table.state.services.length).toBeGreaterThan(0);
  });
});

/** ipvsadm sorts real servers by address and port; the table keeps them as they came. */
const servers = (text: string): string =>
  text
    .split(/^(?=-A )/m)
    .map((block) => {
      const [head = "", ...rest] = block.trimEnd().split("\n");
      return `${[head, ...rest.sort()].join("\n")}\n`;
    })
    .join("");
