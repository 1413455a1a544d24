import { worldOf } from "@hairpin/testing/world.ts";
import { describe, expect, test } from "vitest";
import { faultText, say } from "../messages/index.ts";
import { resolveQuestion, trace } from "../trace/index.ts";

const device = (
  n: number,
  name: string,
  address = "",
) => `${n}: ${name}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 state UP
    link/ether 52:54:00:00:00:0${n} brd ff:ff:ff:ff:ff:ff
${address === "" ? "" : `    inet ${address} scope global ${name}\n`}`;
const LO = "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 state UNKNOWN\n    inet 127.0.0.1/8 scope host lo\n";
const ADDRESSES = `${LO}${device(2, "eth0", "10.0.0.1/24")}${device(3, "veth3a")}${device(4, "veth4b")}`;
const ROUTES = `default via 10.0.0.254 dev eth0
10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.1
10.244.1.7 dev veth4b scope link
`;
const RULES = "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n";
const NODE = {
  "nodes/a/ip-addr.txt": ADDRESSES,
  "nodes/a/ip-route.txt": ROUTES,
  "nodes/a/iptables-save.txt": RULES,
};
const BLOCK =
  "apiVersion: v1\nkind: Node\nmetadata: { name: a }\nspec: { podCIDRs: [10.244.1.0/24] }\nstatus:\n  addresses: [{ type: InternalIP, address: 10.0.0.1 }]\n";

/** By which device of the node the first packet comes in. */
function entry(more: Record<string, string>, from = "10.244.1.5", options: Record<string, string> = {}): string {
  const resolved = resolveQuestion(worldOf({ ...NODE, ...more }), { from, to: "10.0.0.77:80", ...options });
  if (resolved.ok !== true) return resolved.ok === false ? say(faultText(resolved.error)) : "unsupported";
  const [branch] = trace(resolved.world, resolved.question).branches;
  const step = branch?.request.steps.find((s) => s.kind === "receive" && s.stack === "a");
  return step?.kind === "receive" ? step.device : "nowhere";
}

describe("where somebody stands of whom only an address is known", () => {
  test("outside, where nothing says otherwise, and on the card's network by its connected route", () => {
    expect(entry({})).toBe("eth0");
    expect(entry({}, "10.0.0.50")).toBe("eth0");
  });
  test("where a log line saw its packet come in", () => {
    const line =
      "kernel: [1.0] seen IN=veth3a OUT=eth0 MAC=aa:bb:cc:dd:ee:ff:aa:bb:cc:dd:ee:01:08:00 SRC=10.244.1.5 DST=10.0.0.77 LEN=60 TOS=0x00 PREC=0x00 TTL=63 ID=1 DF PROTO=TCP SPT=40000 DPT=80 WINDOW=64240 RES=0x00 SYN URGP=0\n";
    expect(entry({ "nodes/a/dmesg.txt": line })).toBe("veth3a");
    const card = line.replace("IN=veth3a", "IN=eth0").replace("OUT=eth0", "OUT=veth3a");
    expect(entry({ "nodes/a/dmesg.txt": card })).toBe("eth0");
  });
  test("where the neighbour table has it", () => {
    const known = "10.244.1.5 dev veth3a lladdr 02:00:00:00:09:09 STALE\n";
    expect(entry({ "nodes/a/ip-neigh.txt": known })).toBe("veth3a");
    expect(entry({ "nodes/a/ip-neigh.txt": "10.244.1.5 dev veth3a FAILED\n" })).toBe("eth0");
  });
  test("where a route to its network leads, unless to another machine", () => {
    expect(entry({ "nodes/a/ip-route.txt": `${ROUTES}10.244.1.0/28 dev veth3a scope link\n` })).toBe("veth3a");
    expect(entry({ "nodes/a/ip-route.txt": `${ROUTES}10.244.1.0/28 via 10.0.0.2 dev eth0\n` })).toBe("nowhere");
  });
  test("in the node's own block, behind a veth that leads to nobody else", () => {
    expect(entry({ "node.yaml": BLOCK })).toBe("veth3a");
    expect(entry({ "nodes/a/ip-route.txt": `${ROUTES}blackhole 10.244.1.0/26 proto bird\n` })).toBe("veth3a");
    const taken = { "node.yaml": BLOCK, "nodes/a/ip-addr.txt": ADDRESSES.replace(device(3, "veth3a"), "") };
    expect(entry(taken)).toBe("veth-10.244.1.5");
    expect(entry({ "node.yaml": BLOCK }, "10.244.9.5")).toBe("eth0");
  });
  test("--in takes every device that something names, and no other", () => {
    const rules = RULES.replace("COMMIT", "-A FORWARD -i tap0123 -j ACCEPT\nCOMMIT");
    expect(entry({ "nodes/a/iptables-save.txt": rules }, "10.9.9.9", { in: "tap0123" })).toBe("tap0123");
    expect(entry({}, "10.9.9.9", { in: "tap0123" })).toBe("--in tap0123: a has no such device");
  });
});
