import { worldOf } from "@hairpin/testing/world.ts";
import { describe, expect, test } from "vitest";
import { formatAddress } from "../../net/index.ts";
import { resolveQuestion, trace } from "../index.ts";

const NODE = {
  "nodes/a/ip-addr.txt": `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 state UNKNOWN
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 state UP
    link/ether 52:54:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    inet 10.0.0.1/24 brd 10.0.0.255 scope global eth0
    inet 10.0.0.9/24 brd 10.0.0.255 scope global secondary eth0
`,
  "nodes/a/ip-route.txt": "10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.1\n",
  "nodes/a/iptables-save.txt": "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n",
};
const sockets = (...rows: string[]) =>
  `Netid  State   Recv-Q  Send-Q   Local Address:Port    Peer Address:Port  Process\n${rows.join("\n")}\ntcp    LISTEN  0       128            0.0.0.0:22         0.0.0.0:*\n`;
const row = (local: string, process: string): string =>
  `udp    UNCONN  0       0        ${local}:9999         0.0.0.0:*      users:(("${process}",pid=1,fd=1))`;

/** What a client on the same network sees, and from where it is answered. */
function answer(listing: string, to = "10.0.0.9:9999", proto = "udp"): string {
  const world = worldOf({ ...NODE, "nodes/a/ss.txt": listing });
  const resolved = resolveQuestion(world, { from: "10.0.0.50", to, proto });
  if (resolved.ok !== true) return JSON.stringify(resolved);
  const { branches } = trace(resolved.world, resolved.question);
  return branches.map((b) => `${b.clientSees} ${b.reply === null ? "" : formatAddress(b.reply.final.src)}`).join(" | ");
}

describe("from which address a datagram is answered", () => {
  // Sent in two namespaces of a 6.18 kernel: asked at its second address, a socket bound to 0.0.0.0 answers from the first.
  test("a socket bound to the wildcard leaves it to the route, unless its program takes the one it was asked at: nobody can tell", () => {
    expect(answer(sockets(row("0.0.0.0", "app")))).toBe("timeout 10.0.0.1 | connected 10.0.0.9");
    expect(answer(sockets(row("0.0.0.0", "app")), "10.0.0.1:9999")).toBe("connected 10.0.0.1");
  });
  test("one bound to the address that was asked has it, and so has one that looks where the question came in", () => {
    expect(answer(sockets(row("10.0.0.9", "app")))).toBe("connected 10.0.0.9");
    expect(answer(sockets(row("0.0.0.0", "coredns")))).toBe("connected 10.0.0.9");
  });
  test("TCP answers from where it was called; where nobody listens, it is refused", () => {
    expect(answer(sockets(row("0.0.0.0", "app")), "10.0.0.9:22", "tcp")).toBe("connected 10.0.0.9");
    expect(answer(sockets(row("0.0.0.0", "app")), "10.0.0.9:80", "tcp")).toBe("refused 10.0.0.9");
  });
});
