import { spawnSync } from "node:child_process";
import { afterAll, describe, expect, test } from "vitest";
import type { SysctlEntry } from "../../packages/core/src/model/index.ts";
import type { DumpContext, Reading } from "../../packages/core/src/parse/dialect.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";
import {
  applySysctl,
  dialects,
  parseSysctlCommand,
  pathOfKey,
  printEntries,
} from "../../packages/core/src/parse/sysctl/index.ts";

const namespace = `hairpin-sysctl-${process.pid}`;
const run = (command: string): string =>
  spawnSync("ip", ["netns", "exec", namespace, "sh", "-c", command], { encoding: "utf8", maxBuffer: 1 << 26 }).stdout;
const made = spawnSync("ip", ["netns", "add", namespace]).status === 0;
const works = made && run("sysctl -n net.ipv4.ip_forward").trim() !== "";
if (!works) console.warn("SKIPPED: sysctl against the running kernel needs root, ip and sysctl");
if (works) {
  run("ip link add eth0 type veth peer name eth0.100; ip link set eth0 up; ip link set eth0.100 up");
}
afterAll(() => {
  if (made) spawnSync("ip", ["netns", "del", namespace]);
});

const read = (id: string, text: string, context: DumpContext = {}): Reading =>
  dialects.find((d) => d.id === id)!.read(sourceOf("kernel", text), context);
const entriesOf = (reading: Reading): readonly SysctlEntry[] =>
  reading.facts.flatMap((f) => (f.kind === "sysctls" ? f.entries : []));
const pairs = (entries: readonly SysctlEntry[]) => entries.map((e) => [e.key, e.value]);

describe.skipIf(!works)("sysctl on the running kernel", () => {
  test("sysctl -a net is read without complaint and printed back", () => {
    const text = run("sysctl -a --pattern '^net' 2>/dev/null");
    const reading = read("sysctl", text);
    expect(reading.diagnostics).toEqual([]);
    expect(entriesOf(reading).length).toBeGreaterThan(300);
    // An empty value is printed with a blank after the sign; tabs at the end of a value are not kept.
    expect(printEntries(entriesOf(reading)).replace(/[ \t]+$/gm, "")).toBe(text.replace(/[ \t]+$/gm, ""));
    for (const line of text.trimEnd().split("\n")) expect(dialects[0]!.claim(line), line).toBe("line");
  });
  test("grep -r, cat, head and a loop say the same as sysctl", () => {
    const conf = "/proc/sys/net/ipv4/conf";
    const shown = pairs(entriesOf(read("sysctl", run("sysctl -a --pattern 'net.ipv4.conf.*[.]rp_filter'")))).sort();
    expect(shown.map(([key]) => key)).toContain("net.ipv4.conf.eth0/100.rp_filter");
    for (const command of [
      `grep . ${conf}/*/rp_filter`,
      `head ${conf}/*/rp_filter`,
      `for i in ${conf}/*/rp_filter; do echo $i; cat $i; done`,
      `for i in ${conf}/*/rp_filter; do echo "$i = $(cat $i)"; done`,
    ]) {
      const reading = read("proc-sys", run(command));
      expect(reading.diagnostics, command).toEqual([]);
      expect(pairs(entriesOf(reading)).sort(), command).toEqual(shown);
    }
    const files = shown.map(([key]) => pathOfKey(key!));
    const cat = read("proc-sys-file", run(`cat ${files.join(" ")}`), { command: ["cat", ...files] });
    expect(pairs(entriesOf(cat))).toEqual(shown);
  });
  test("a key the kernel lacks is missing, not unknown", () => {
    const text = run("sysctl net.ipv4.ip_forward net.ipv4.no_such_switch 2>&1");
    expect(read("sysctl", text).facts[0]).toMatchObject({ missing: [{ key: "net.ipv4.no_such_switch" }] });
    const cat = run("cat /proc/sys/net/ipv4/no_such_switch 2>&1");
    expect(read("proc-sys-file", cat).facts[0]).toMatchObject({ missing: [{ key: "net.ipv4.no_such_switch" }] });
  });
  test("writing leaves the switches as the kernel leaves them", () => {
    const state = (): ReadonlyMap<string, SysctlEntry> =>
      new Map(
        entriesOf(read("sysctl", run("sysctl -a --pattern 'forward|rp_filter|disable_ipv6' 2>/dev/null"))).map((e) => [
          e.key,
          e,
        ]),
      );
    const values = (sysctls: ReadonlyMap<string, SysctlEntry>) =>
      Object.fromEntries([...sysctls].map(([key, e]) => [key, e.value] as const).sort());
    for (const command of [
      "sysctl -w net.ipv4.ip_forward=1",
      "sysctl -w net.ipv4.conf.eth0.forwarding=0",
      "sysctl -w net.ipv4.ip_forward=1",
      "sysctl -w net.ipv4.conf.all.forwarding=0",
      "sysctl -w net.ipv4.conf.default.forwarding=1",
      "echo 2 > /proc/sys/net/ipv4/conf/eth0.100/rp_filter",
      "for i in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 1 > $i; done",
      "sysctl -w net.ipv4.conf.all.rp_filter=0",
      "sysctl -w net.ipv6.conf.all.forwarding=1",
      "sysctl -w net.ipv6.conf.eth0.forwarding=0",
      "sysctl -w net.ipv6.conf.all.disable_ipv6=1",
    ]) {
      const before = state();
      run(command);
      const commands = parseSysctlCommand(command, { kind: "assumed", rule: "test" })!;
      expect(values(applySysctl(before, commands)), command).toEqual(values(state()));
    }
  });
});
