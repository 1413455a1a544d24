import { ask } from "@hairpin/testing/dumps.ts";
import { expect, test } from "vitest";

const port = (n: number, flags: string, state: string): string =>
  `${n}: veth${n}@if2: <${flags}> mtu 1500 qdisc noqueue master cni0 state ${state}\n    link/ether 7a:00:00:00:00:0${n} brd ff:ff:ff:ff:ff:ff link-netnsid 0\n`;
const UP = "BROADCAST,MULTICAST,UP,LOWER_UP";

/** A pod on a bridge beside another one that nobody dumped; the node knows its MAC from before. */
function asked(isUp: boolean) {
  const pod = "nodes/a/pods/default/p6";
  const [flags, state, here] = isUp
    ? [UP, "UP", UP]
    : ["BROADCAST,MULTICAST", "DOWN", "NO-CARRIER,BROADCAST,MULTICAST,UP"];
  return ask(
    {
      "nodes/a/ip-d-addr.txt": `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536
    inet 127.0.0.1/8 scope host lo
3: cni0: <${UP}> mtu 1500
    link/ether 52:54:00:00:01:01 brd ff:ff:ff:ff:ff:ff
    bridge forward_delay 1500
    inet 10.244.1.1/24 scope global cni0
${port(5, UP, "UP")}${port(6, flags, state)}`,
      "nodes/a/ip-route.txt": "10.244.1.0/24 dev cni0 proto kernel scope link src 10.244.1.1\n",
      "nodes/a/ip-neigh.txt": "10.244.1.6 dev cni0 lladdr 0a:00:00:00:00:06 REACHABLE\n",
      [`${pod}/ip-addr.txt`]: `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536
    inet 127.0.0.1/8 scope host lo
2: eth0@if6: <${here}> mtu 1500
    link/ether 0a:00:00:00:00:06 brd ff:ff:ff:ff:ff:ff link-netnsid 0
    inet 10.244.1.6/24 scope global eth0
`,
      [`${pod}/ip-route.txt`]: `default via 10.244.1.1 dev eth0
10.244.1.0/24 dev eth0 proto kernel scope link src 10.244.1.6
`,
    },
    { from: "node/a", to: "10.244.1.6:80" },
  );
}

test("a pod that was shown, whose port is down, is not looked for behind another port of the bridge", () => {
  expect(asked(false)).toMatchObject({ verdict: "unreachable", claims: ["LINK_DOWN inferred"] });
  expect(asked(true)).toMatchObject({ leaning: "reachable", claims: [] });
});
