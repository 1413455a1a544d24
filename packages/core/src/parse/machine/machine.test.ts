import { describe, expect, test } from "vitest";
import type { Machine } from "../../model/index.ts";
import type { DumpContext } from "../dialect.ts";
import { sourceOf } from "../source.ts";
import { dialects } from "./index.ts";

const dialect = (id: string) => dialects.find((d) => d.id === id)!;
function machine(id: string, text: string, context: DumpContext = {}): Partial<Machine> {
  const reading = dialect(id).read(sourceOf("machine.txt", text), context);
  expect(reading.diagnostics).toEqual([]);
  return reading.facts.flatMap((f) => (f.kind === "machine" ? [f.machine] : []))[0] ?? {};
}

describe("uname", () => {
  test.each([
    [
      "Linux node-a 5.15.0-91-generic #101-Ubuntu SMP Tue Nov 14 13:30:08 UTC 2023 x86_64 x86_64 x86_64 GNU/Linux",
      "node-a",
      [5, 15, 0],
    ],
    [
      "Linux 10.0.0.5 3.10.0-1160.el7.x86_64 #1 SMP Mon Oct 19 16:18:59 UTC 2020 x86_64 x86_64 x86_64 GNU/Linux",
      "10.0.0.5",
      [3, 10, 0],
    ],
    [
      "Linux (none) 6.1.0-54-cloud-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.190-1 (2026-10-16) x86_64 GNU/Linux",
      undefined,
      [6, 1, 0],
    ],
    ["4.19.91-26.al7.x86_64", undefined, [4, 19, 91]],
    ["Linux 6.12.5", undefined, [6, 12, 5]],
    ["worker-0", "worker-0", undefined],
  ])("%s", (line, hostname, version) => {
    const read = machine("uname", `${line}\n`);
    expect(read.hostname).toBe(hostname);
    const kernel = read.kernel;
    expect(kernel && [kernel.major, kernel.minor, kernel.patch]).toEqual(version);
  });
  test("uname -a is recognised by itself, a sentence about Linux is not", () => {
    expect(dialect("uname").claim("Linux node-a 5.15.0-91-generic #101-Ubuntu SMP x86_64")).toBe("head");
    expect(dialect("uname").claim("Linux is a kernel 5.4 times over")).toBe("no");
  });
  test("/proc/version", () => {
    const text = "Linux version 6.1.0-54-cloud-amd64 (a@b) (gcc-12 12.2.0, GNU ld 2.40) #1 SMP Debian 6.1.190-1\n";
    expect(machine("proc-version", text).kernel).toMatchObject({ release: "6.1.0-54-cloud-amd64", major: 6, minor: 1 });
  });
});

describe("lsmod", () => {
  const text = `Module                  Size  Used by
ip_vs_rr               16384  8
ip_vs                 188416  10 ip_vs_rr
nf_conntrack          188416  2 nf_conntrack_sip,ip_vs
nf-strange             16384  -2
tls                   114688  0 [permanent]
`;
  test("is whole with its heading", () => {
    expect(machine("lsmod", text)).toMatchObject({
      modules: ["ip_vs_rr", "ip_vs", "nf_conntrack", "nf-strange", "tls"],
      modulesExtent: "whole",
    });
  });
  test("through grep it is not", () => {
    const lines = text.split("\n").slice(1, 3).join("\n");
    const context: DumpContext = { command: ["lsmod"], partial: { value: "through grep", by: "command" } };
    expect(machine("lsmod", lines, context)).toMatchObject({
      modules: ["ip_vs_rr", "ip_vs"],
      modulesExtent: "partial",
    });
    expect(machine("lsmod", lines)).toMatchObject({ modulesExtent: "partial" });
  });
  test("/proc/modules", () => {
    const line =
      "br_netfilter 32768 0 - Live 0x0000000000000000\nbridge 311296 1 br_netfilter, Live 0xffffffffc0a00000\n";
    expect(machine("lsmod", line, { command: ["cat", "/proc/modules"] })).toMatchObject({
      modules: ["br_netfilter", "bridge"],
      modulesExtent: "whole",
    });
  });
});

describe("versions and names", () => {
  test.each([
    ["iptables v1.8.9 (nf_tables)", { version: "1.8.9", backend: "nft", family: 4 }],
    ["iptables v1.8.4 (legacy)", { version: "1.8.4", backend: "legacy", family: 4 }],
    ["ip6tables v1.4.21", { version: "1.4.21", backend: "legacy", family: 6 }],
    ["iptables-save v1.8.7 (nf_tables)", { version: "1.8.7", backend: "nft", family: 4 }],
  ])("%s", (line, expected) => {
    expect(machine("iptables-version", line).iptables).toMatchObject([expected]);
    expect(dialect("iptables-version").claim(line)).toBe("head");
  });
  test("iptables 1.8 that does not say its back end leaves it open", () => {
    expect(machine("iptables-version", "iptables v1.8.2").iptables?.[0]).not.toHaveProperty("backend");
  });
  test("hostname, hostnamectl, os-release", () => {
    expect(machine("hostname", "node-a\n").hostname).toBe("node-a");
    const text = `   Static hostname: node-b
         Icon name: computer-vm
  Operating System: Ubuntu 22.04.3 LTS
            Kernel: Linux 5.15.0-91-generic
      Architecture: x86-64
`;
    expect(machine("hostnamectl", text)).toMatchObject({
      hostname: "node-b",
      os: "Ubuntu 22.04.3 LTS",
      kernel: { major: 5, minor: 15 },
    });
    expect(machine("os-release", 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n').os).toBe(
      "Debian GNU/Linux 12 (bookworm)",
    );
    expect(machine("os-release", "CentOS Linux release 7.9.2009 (Core)\n").os).toMatch(/^CentOS/);
  });
  test("what is none of it is complained of", () => {
    for (const [id, text] of [
      ["uname", "!!! ???"],
      ["hostname", "two words"],
      ["iptables-version", "iptables: command not found"],
      ["lsmod", "hello there"],
    ] as const) {
      const reading = dialect(id).read(sourceOf("x", text), {});
      expect(reading.diagnostics.length, id).toBe(1);
    }
  });
});
