import { describe, expect, test } from "vitest";
import { assumed, type VirtualService } from "../../model/index.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { sourceOf } from "../source.ts";
import { applyIpvs, dialects, parseIpvsCommand, printSave } from "./index.ts";

const dialect = (id: string) => dialects.find((d) => d.id === id)!;
const read = (id: string, text: string, context: DumpContext = {}): Reading =>
  dialect(id).read(sourceOf("ipvs.txt", text), context);
const servicesOf = (reading: Reading): readonly VirtualService[] =>
  reading.facts.flatMap((f) => (f.kind === "ipvs" ? f.services : []));
const collection = (reading: Reading) => reading.facts.flatMap((f) => (f.kind === "ipvs" ? [f.extent] : []))[0];
const extents = (reading: Reading) => servicesOf(reading).map((s) => s.extent);

const banner = "IP Virtual Server version 1.2.1 (size=4096)\n";
const heading = `Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
`;
const service = (address: string, ...servers: string[]): string =>
  [`TCP  ${address} rr`, ...servers.map((s) => `  -> ${s.padEnd(28)} Masq    1      0          0         `)].join("\n");
const partial: DumpContext["partial"] = { value: "through grep", by: "command" };
const command = ["ipvsadm", "-ln"];

describe("how much a listing shows", () => {
  const two = `${service("10.0.0.1:80", "10.1.0.1:80", "10.1.0.2:80")}\n${service("10.0.0.2:80", "10.1.0.3:80")}\n`;
  test("with its banner it is all there", () => {
    expect([
      collection(read("ipvsadm-ln", banner + heading + two)),
      ...extents(read("ipvsadm-ln", banner + heading + two)),
    ]).toEqual(["whole", "whole", "whole"]);
    const none = read("ipvsadm-ln", banner + heading);
    expect([collection(none), servicesOf(none)]).toEqual(["whole", []]);
  });
  test("without a banner one service was asked for", () => {
    const reading = read("ipvsadm-ln", heading + service("10.0.0.1:80", "10.1.0.1:80"));
    expect([collection(reading), ...extents(reading)]).toEqual(["partial", "whole"]);
  });
  test("a service with no real server is empty, not cut", () => {
    const reading = read("ipvsadm-ln", `${banner}${heading}TCP  10.0.0.1:80 rr\nTCP  10.0.0.2:80 rr\n`);
    expect(servicesOf(reading).map((s) => [s.extent, s.realServers.length])).toEqual([
      ["whole", 0],
      ["whole", 0],
    ]);
  });
  test("groups of grep -A end by count: what follows a service in its group closes it, the group's end does not", () => {
    const text = `${service("10.0.0.1:80", "10.1.0.1:80")}\n${service("10.0.0.2:80", "10.1.0.3:80")}\n--\n${service("10.0.0.3:80", "10.1.0.4:80")}\n`;
    const reading = read("ipvsadm-ln", text, { command, partial });
    expect(reading.diagnostics).toEqual([]);
    expect([collection(reading), ...extents(reading)]).toEqual(["partial", "whole", "partial", "partial"]);
  });
  test("plain grep may have taken any line", () => {
    const filters = [["grep", "10.1"]];
    expect(extents(read("ipvsadm-ln", two, { command, partial, filters }))).toEqual(["partial", "partial"]);
    const reading = read("ipvsadm-ln", "  -> 10.1.0.1:80   Masq 1 0 0\n", { command, partial, filters });
    expect(servicesOf(reading)).toEqual([]);
    expect(reading.diagnostics.map((d) => [d.code, d.severity])).toEqual([["ipvs-orphan-server", "warning"]]);
  });
  test("head keeps lines together: only the last service may go on", () => {
    const context: DumpContext = {
      command,
      partial: { value: "through head", by: "command" },
      filters: [["head", "-5"]],
    };
    const reading = read("ipvsadm-ln", banner + heading + two, context);
    expect([collection(reading), ...extents(reading)]).toEqual(["partial", "whole", "partial"]);
  });
  test("grep -A with words is a window too", () => {
    const filters = [["grep", "-A", "3", "10.0.0.1"]];
    expect(extents(read("ipvsadm-ln", two, { command, partial, filters }))).toEqual(["whole", "partial"]);
  });
  test("a real server that is not understood leaves its service partial", () => {
    const text = `${banner}${heading}TCP  10.0.0.1:80 rr\n  -> web-1.example:80   Masq 1 0 0\n${service("10.0.0.2:80")}\n`;
    const reading = read("ipvsadm-ln", text);
    expect(extents(reading)).toEqual(["partial", "whole"]);
    expect(reading.diagnostics.map((d) => [d.line, d.column, d.length])).toEqual([[5, 6, 16]]);
  });
});

describe("damaged or unusual lines", () => {
  test("indentation and columns do not matter", () => {
    const reading = read(
      "ipvsadm-ln",
      "    TCP 10.0.0.1:80 wrr persistent 10800\n-> 10.1.0.1:80 Masq 1 0 0\n→ 10.1.0.2:80 Route 2 0 0\n",
    );
    expect(reading.diagnostics).toEqual([]);
    expect(servicesOf(reading)[0]).toMatchObject({
      scheduler: "wrr",
      persistence: 10800,
      realServers: [
        { port: 80, method: "masq", weight: 1 },
        { method: "route", weight: 2 },
      ],
    });
  });
  test("columns that were cut off on the right are not known", () => {
    const [one] = servicesOf(read("ipvsadm-ln", "TCP  10.0.0.1:80 rr\n  -> 10.1.0.1:80   Masq    1\n"));
    expect(one!.realServers[0]).not.toHaveProperty("activeConnections");
  });
  test("flags that are not known are kept and named", () => {
    const reading = read("ipvsadm-ln", "TCP  10.0.0.1:80 rr synproxy\n");
    expect(servicesOf(reading)[0]!.unknown).toBe("synproxy");
    expect(reading.diagnostics.map((d) => d.code)).toEqual(["ipvs-unknown-flag"]);
  });
  test("stats are told from the numbers where the headings are gone, thresholds are not guessed", () => {
    const text = "TCP  10.0.0.1:80   3  4K  0  180M  0\n  -> 10.1.0.1:80   3 4 0 180 0\n  -> 10.1.0.2:80   7 5 1 2\n";
    const [one] = servicesOf(read("ipvsadm-ln", text));
    expect(one!.stats).toEqual({ connections: 3, inPackets: 4000, outPackets: 0, inBytes: 180e6, outBytes: 0 });
    expect(one!.realServers[1]).toMatchObject({ activeConnections: 1, inactiveConnections: 2 });
    expect(one!.realServers[1]).not.toHaveProperty("upperThreshold");
  });
  test("a mark of eight digits is decimal unless the kernel printed it", () => {
    const mark = (text: string) => servicesOf(read("ipvsadm-ln", text))[0]!.key;
    expect(mark("FWM  12345678 rr\n")).toMatchObject({ mark: 12345678 });
    expect(mark("FWM  00000010 rr \n")).toMatchObject({ mark: 16 });
    const proc =
      "Prot LocalAddress:Port Scheduler Flags\n  -> RemoteAddress:Port Forward Weight ActiveConn InActConn\n";
    expect(mark(`${proc}FWM  12345678 rr \n`)).toMatchObject({ mark: 0x12345678 });
  });
});

describe("ipvsadm -S and commands", () => {
  const origin = assumed("test");
  test("an old ipvsadm names no type of tunnel", () => {
    const text = "-A -t 10.0.0.1:80 -s rr\n-a -t 10.0.0.1:80 -r 10.1.0.1:80 -i -w 1\n";
    expect(printSave(servicesOf(read("ipvsadm-save", text)))).toBe(text);
  });
  test("lines with ipvsadm in front, quotes and long options read the same", () => {
    const text =
      'ipvsadm --add-service --tcp-service="10.0.0.1:80" --scheduler rr\nipvsadm -at 10.0.0.1:80 -r 10.1.0.1 -mw5\n';
    expect(printSave(servicesOf(read("ipvsadm-save", text)))).toBe(
      "-A -t 10.0.0.1:80 -s rr\n-a -t 10.0.0.1:80 -r 10.1.0.1:80 -m -w 5\n",
    );
  });
  test("a save that was filtered is partial", () => {
    const reading = read("ipvsadm-save", "-A -t 10.0.0.1:80 -s rr\n", { command: ["ipvsadm", "-Sn"], partial });
    expect([collection(reading), ...extents(reading)]).toEqual(["partial", "partial"]);
  });
  test.each([
    ["ipvsadm -A -t 10.0.0.1", "port 0 is only for persistent services"],
    ["ipvsadm -A -t web:80", "is not an address and port; names are not resolved"],
    ["ipvsadm -a -t 10.0.0.1:80", "names no real server"],
    ["ipvsadm -A -t 10.0.0.1:80 --frob", "is not an option of ipvsadm"],
    ["ipvsadm -A -s rr", "names no virtual service"],
    ["ipvsadm -a -t 10.0.0.1:80 -r 10.1.0.1:80 -w", "lacks its value"],
    ["ipvsadm -A -t 10.0.0.1:80 -o", "is only for UDP services"],
  ])("%s: %s", (line, message) => {
    const reading = read("ipvsadm-commands", line);
    expect(reading.counts).toEqual({ commands: 0 });
    expect(reading.diagnostics[0]!.message).toContain(message);
  });
  test("commands are applied to what is known, and what is not shown is not taken for absent", () => {
    const words = (line: string) => line.split(" ").map((text, column) => ({ text, column }));
    const commands = (...lines: string[]) => lines.map((l) => parseIpvsCommand(words(l), origin).command!);
    const whole = { services: servicesOf(read("ipvsadm-save", "-A -t 10.0.0.1:80 -s rr\n")), extent: "whole" as const };
    const lines = commands("-a -t 10.0.0.1:80 -r 10.1.0.1:8080 -m", "-D -t 10.0.0.9:80", "-E -t 10.0.0.1:80 -s sh");
    const after = applyIpvs(whole, lines);
    expect(printSave(after.state.services)).toBe(
      "-A -t 10.0.0.1:80 -s sh\n-a -t 10.0.0.1:80 -r 10.1.0.1:8080 -m -w 1\n",
    );
    expect(after.refused.map((r) => r.reason)).toEqual(["No such service"]);
    expect(applyIpvs({ ...whole, extent: "partial" }, lines).refused).toEqual([]);
    expect(applyIpvs(whole, commands("-C")).state).toEqual({ services: [], extent: "whole" });
  });
});

describe("recognition", () => {
  test.each([
    ["ipvsadm-ln", ["ipvsadm"]],
    ["ipvsadm-ln", ["ipvsadm", "-ln"]],
    ["ipvsadm-ln", ["ipvsadm", "-L", "-n", "--stats"]],
    ["ipvsadm-ln", ["ipvsadm", "-Ln", "-t", "10.0.0.1:80"]],
    ["ipvsadm-lnc", ["ipvsadm", "-lnc"]],
    ["ipvsadm-lnc", ["ipvsadm", "-Ln", "--connection"]],
    ["ipvsadm-save", ["ipvsadm", "-Sn"]],
    ["ipvsadm-save", ["ipvsadm-save", "-n"]],
    ["ipvsadm-timeout", ["ipvsadm", "-l", "--timeout"]],
    ["proc-ip-vs", ["cat", "/proc/net/ip_vs"]],
    ["proc-ip-vs-conn", ["cat", "/proc/net/ip_vs_conn"]],
  ])("%s is printed by %j alone", (id, words) => {
    expect(dialects.filter((d) => d.printedBy(words)).map((d) => d.id)).toEqual([id]);
  });
  test.each([["ipvsadm", "-A", "-t", "10.0.0.1:80"], ["ipvsadm", "-C"], ["iptables", "-L"], []])(
    "%j prints none",
    (...words) => {
      expect(dialects.filter((d) => d.printedBy(words)).map((d) => d.id)).toEqual([]);
    },
  );
  test("each line is claimed by its own dialect", () => {
    expect(dialect("ipvsadm-ln").claim("TCP  10.0.0.1:80 rr")).toBe("line");
    expect(dialect("ipvsadm-ln").claim("  -> 10.1.0.1:80   Masq    1      0   0")).toBe("line");
    expect(dialect("ipvsadm-ln").claim("TCP 00:59  SYN_RECV    10.0.0.1:41282   10.0.0.1:9153    10.1.0.1:9153")).toBe(
      "no",
    );
    expect(dialect("ipvsadm-lnc").claim("TCP 00:59  SYN_RECV    10.0.0.1:41282   10.0.0.1:9153    10.1.0.1:9153")).toBe(
      "line",
    );
    expect(dialect("ipvsadm-save").claim("-A -t 10.0.0.1:80 -s rr")).toBe("line");
    expect(dialect("ipvsadm-save").claim("-A KUBE-SERVICES -j ACCEPT")).toBe("no");
    expect(dialect("ipvsadm-ln").claim("TCP is a protocol: see rr")).toBe("no");
  });
});
