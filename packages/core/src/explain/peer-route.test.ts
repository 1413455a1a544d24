import { Askable, diagnose } from "@hairpin/core/diagnose/index.ts";
import { readCase } from "@hairpin/core/parse/index.ts";
import { ask, type Files, NODE, ROUTES, toService } from "@hairpin/testing/dumps.ts";
import { expect, test } from "vitest";

const node = (name: string, address: string, cidr: string) =>
  `- {apiVersion: v1, kind: Node, metadata: {name: ${name}}, spec: {podCIDR: ${cidr}, podCIDRs: [${cidr}]}, status: {addresses: [{type: InternalIP, address: ${address}}]}}\n`;
const cluster = (addressOfB = "10.0.0.2"): Files => ({
  ...NODE,
  "kubernetes/nodes.yaml": `apiVersion: v1\nkind: List\nitems:\n${node("a", "10.0.0.1", "10.244.1.0/24")}${node("b", addressOfB, "10.244.2.0/24")}${node("c", "10.0.0.3", "10.244.3.0/24")}`,
});
const BARE = ROUTES.replace(/^10\.244\.2.*\n/m, "");
const LIKE = "10.244.3.0/24 via 10.0.0.3 dev eth0";
const routed = (routes: string, files = cluster()): Files => ({ ...files, "nodes/a/ip-route.txt": routes });

test("pods of a node go to the gateway, while those of another go to that one: a suspicion, and the route that lacks", () => {
  const { verdict, leaning, claims, causes } = ask(routed(`${BARE}${LIKE}\n`), toService());
  expect({ verdict, leaning, claims }).toEqual({
    verdict: "undetermined",
    leaning: undefined,
    claims: ["NO_ROUTE possible"],
  });
  expect(causes[0]?.lines).toEqual(["default via 10.0.0.254 dev eth0", LIKE]);
  expect(causes[0]?.check?.command).toBe("ping -c 3 10.244.2.7");
});

test("the fix is a route to all of that node's pods; nothing was shown of that node, so it is not proved", () => {
  const inputs = Object.entries(routed(`${BARE}${LIKE}\n`)).map(([path, text]) => ({ path, text }));
  const askable = new Askable({ inputs, reading: readCase(inputs, undefined), notes: [] }, []);
  const [fix] = diagnose(askable, toService()).fixes;
  expect(fix).toMatchObject({
    code: "ROUTE_ADD",
    commands: ["ip route add 10.244.2.0/24 via 10.0.0.2"],
    proof: { verdict: "undetermined" },
  });
});

test("where it is said that the gateway drops it, it is the cause, and proven", () => {
  const inputs = Object.entries(routed(`${BARE}${LIKE}\n`)).map(([path, text]) => ({ path, text }));
  const askable = new Askable({ inputs, reading: readCase(inputs, undefined), notes: [] }, [
    "gateway/10.0.0.254=drops",
  ]);
  const { judgement, causes, fixes } = diagnose(askable, toService());
  expect(judgement.verdict).toBe("unreachable");
  expect(causes.map((c) => `${c.code} ${c.certainty}`)).toEqual(["NO_ROUTE proven"]);
  expect(fixes[0]?.commands).toEqual(["ip route add 10.244.2.0/24 via 10.0.0.2"]);
});

test.each([
  ["no node sends pods to another by itself: the network between them routes pods", routed(BARE)],
  ["the node is behind a router, which is the one to know", routed(`${BARE}${LIKE}\n`, cluster("10.9.0.2"))],
  ["the like of it leads to a node whose pods these are not", routed(`${BARE}10.244.3.0/24 via 10.0.0.2 dev eth0\n`)],
  ["the like of it leads nowhere near pods", routed(`${BARE}172.30.0.0/16 via 10.0.0.3 dev eth0\n`)],
  ["the route is there", routed(`${ROUTES}${LIKE}\n`)],
])("guard: %s", (_, files) => {
  expect(ask(files, toService())).toMatchObject({ leaning: "reachable", claims: [] });
});

test("guard: the flow was seen to work", () => {
  expect(ask(routed(`${BARE}${LIKE}\n`), { ...toService(), sees: "works" }).claims).toEqual([]);
});
