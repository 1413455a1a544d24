import { describe, expect, test } from "vitest";
import { readCase } from "../../parse/index.ts";
import { Askable, diagnose } from "../index.ts";

const addresses = (own: string): string => `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    inet ${own}/24 scope global eth0
3: docker0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    link/ether 02:42:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    inet 172.17.0.1/16 scope global docker0
`;
const routes = (own: string): string => `default via 10.0.0.254 dev eth0
10.0.0.0/24 dev eth0 proto kernel scope link src ${own}
172.17.0.0/16 dev docker0 proto kernel scope link src 172.17.0.1
`;
const filter = (policy: string): string => `*filter
:INPUT ACCEPT [0:0]
:FORWARD ${policy} [0:0]
:OUTPUT ACCEPT [0:0]
COMMIT
*nat
:PREROUTING ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
-A POSTROUTING -s 172.17.0.0/16 ! -o docker0 -j MASQUERADE
COMMIT
`;
const FILES = {
  "nodes/a/ip-addr.txt": addresses("10.0.0.1"),
  "nodes/a/ip-route.txt": routes("10.0.0.1"),
  "nodes/a/iptables-save.txt": filter("ACCEPT"),
  "nodes/b/ip-addr.txt": addresses("10.0.0.2"),
  "nodes/b/ip-route.txt": routes("10.0.0.2"),
  "nodes/b/iptables-save.txt": filter("DROP"),
};

const ask = (more: Readonly<Record<string, string>>, assume: readonly string[], node?: string) => {
  const inputs = Object.entries({ ...FILES, ...more }).map(([path, text]) => ({ path, text }));
  const askable = new Askable({ inputs, reading: readCase(inputs), notes: [] }, assume);
  const { judgement, next } = diagnose(askable, {
    from: "172.17.0.5",
    to: "10.0.0.9:443",
    ...(node !== undefined && { node }),
  });
  return { judgement, next };
};

describe("a container of whom only the address is known, and two hosts with that network", () => {
  test("the walk is made from both, and which it is decides", () => {
    const { judgement, next } = ask({}, []);
    expect(judgement.verdict).toBe("undetermined");
    const places = judgement.decisiveFacts.find((f) => f.fact === "172.17.0.5/home");
    expect(places?.outcomes.map((o) => o.value)).toEqual(["a:docker0", "b:docker0"]);
    expect(places?.outcomes[1]?.verdict).toBe("unreachable");
    expect(next?.command).toBe("ip neigh show to 172.17.0.5");
  });
  test("said, or seen by a neighbour table or learnt by a bridge, it is one of them", () => {
    const onlyB = (answer: ReturnType<typeof ask>) => answer.judgement.verdict;
    expect(onlyB(ask({}, ["172.17.0.5/home=b:docker0"]))).toBe("unreachable");
    expect(onlyB(ask({}, [], "b"))).toBe("unreachable");
    const neighbour = { "nodes/b/ip-neigh.txt": "172.17.0.5 dev docker0 lladdr 02:42:ac:11:00:05 REACHABLE\n" };
    expect(onlyB(ask(neighbour, []))).toBe("unreachable");
    const learnt = {
      "nodes/b/bridge-fdb.txt": "02:42:ac:11:00:05 dev veth5 master docker0\n",
      "nodes/a/ip-neigh.txt": "172.17.0.5 dev eth0 lladdr 02:42:ac:11:00:05 STALE\n",
    };
    expect(onlyB(ask(learnt, []))).toBe("unreachable");
  });
});
