import { text } from "../../../messages/index.ts";
import {
  chainsStarting,
  type NftExpression,
  type Origin,
  PROXY_CHAIN,
  PROXY_NFT,
  type Rule,
  type RuleRef,
  type Stack,
  sameRule,
} from "../../../model/index.ts";
import { familyOf, formatAddress, protocolName } from "../../../net/index.ts";
import type { Question } from "../../../trace/index.ts";
import { type Cause, stackOf, stepsOf } from "../../cause.ts";

const asksFor = (rule: Rule, port: number): boolean =>
  rule.matches.some(
    (m) =>
      (m.kind === "tcp" || m.kind === "udp" || m.kind === "sctp") &&
      m.dport?.value.from === port &&
      m.dport.value.to === port,
  );

/** Where the node serves this port as a NodePort, on whatever address. */
function servedAt(stack: Stack, question: Question): Served | undefined {
  const { port, protocol } = question;
  const asked = familyOf(question.to);
  for (const table of stack.netfilter.tables) {
    if (table.family !== asked) continue;
    for (const { name: chain, rules } of chainsStarting(table, PROXY_CHAIN["node-ports"])) {
      if (chain !== PROXY_CHAIN["node-ports"]) continue;
      const at = rules.findIndex((r) => r.protocol?.value === protocol && asksFor(r, port));
      const rule = { stack: stack.name, backend: table.backend, table: table.name, chain, number: at + 1 };
      if (at >= 0) return { rule, origin: rules[at]!.origin };
    }
  }
  const server = stack.ipvs.services.find(
    ({ key }) =>
      key.kind === "address" && key.port === port && key.protocol === protocol && familyOf(key.address) === asked,
  );
  return server ?? servedByNft(stack, question);
}

const isPort = (part: NftExpression | undefined, port: number): boolean =>
  part?.kind === "number" && part.value === port;
const isProtocol = (part: NftExpression | undefined, protocol: number): boolean =>
  part?.kind === "symbol" ? part.text === protocolName(protocol) : part?.kind === "number" && part.value === protocol;

/** kube-proxy's map of NodePorts, which it asks only for the addresses of another set. */
function servedByNft({ netfilter }: Stack, { port, protocol, to }: Question): Served | undefined {
  const tables =
    netfilter.nft?.filter((t) => t.family === (familyOf(to) === 6 ? "ip6" : "ip") && t.name === PROXY_NFT.table) ?? [];
  for (const { sets } of tables) {
    const ports = sets.find((s) => s.name === PROXY_NFT.nodePorts);
    const served = ports?.elements.some(
      ({ key }) => key.kind === "concat" && isProtocol(key.parts[0], protocol) && isPort(key.parts[1], port),
    );
    const addresses = sets.find((s) => s.name === PROXY_NFT.nodePortAddresses);
    if (ports === undefined || served !== true || addresses?.elementsKnown !== true) continue;
    const here = addresses.elements.some(({ key }) => key.kind === "address" && key.value === to);
    if (!here) return { origin: addresses.origin, also: ports.origin };
  }
  return undefined;
}

interface Served {
  readonly origin: Origin;
  readonly rule?: RuleRef;
  readonly also?: Origin;
}

/** A NodePort that is served on other addresses of the node than the one that was called (nodePortAddresses). */
export const nodeportAddresses: Cause = {
  codes: ["NODEPORT_ADDRESSES"],
  detect: ({ leg, branch, question, world }) => {
    if (leg !== branch.request || leg.drop !== "NO_SOCKET") return [];
    const stack = stackOf(world, leg.stack);
    const served = stack?.kind === "node" ? servedAt(stack, question) : undefined;
    const object = world.kubernetes.services.find((s) => s.ports.some((p) => p.nodePort === question.port));
    if (stack === undefined || served === undefined) return [];
    // The rule took the packet: it is served on this address, only not to this client.
    const { rule, origin, also } = served;
    if (rule !== undefined && stepsOf(leg, "rule").some((s) => sameRule(s, rule))) return [];
    const evidence = [origin, ...(also === undefined ? [] : [also]), ...(object === undefined ? [] : [object.origin])];
    const summary = text("cause.nodeport_addresses", {
      stack: stack.name,
      port: question.port,
      address: formatAddress(question.to),
    });
    return [{ code: "NODEPORT_ADDRESSES", summary, stack: stack.name, evidence, root: true }];
  },
};
