import { text } from "../../../messages/index.ts";
import { type Origin, PROXY_CHAIN, type Rule, type RuleRef, type Stack, sameRule } from "../../../model/index.ts";
import { formatAddress } from "../../../net/index.ts";
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
function servedAt(stack: Stack, { port, protocol }: Question): Served | undefined {
  for (const { name: table, backend, chains } of stack.netfilter.tables) {
    for (const { name: chain, rules } of chains) {
      if (chain !== PROXY_CHAIN["node-ports"]) continue;
      const at = rules.findIndex((r) => r.protocol?.value === protocol && asksFor(r, port));
      const rule = { stack: stack.name, backend, table, chain, number: at + 1 };
      if (at >= 0) return { rule, origin: rules[at]!.origin };
    }
  }
  return stack.ipvs.services.find(
    (s) => s.key.kind === "address" && s.key.port === port && s.key.protocol === protocol,
  );
}

interface Served {
  readonly origin: Origin;
  readonly rule?: RuleRef;
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
    const { rule, origin } = served;
    if (rule !== undefined && stepsOf(leg, "rule").some((s) => sameRule(s, rule))) return [];
    const evidence = object === undefined ? [origin] : [origin, object.origin];
    const summary = text("cause.nodeport_addresses", {
      stack: stack.name,
      port: question.port,
      address: formatAddress(question.to),
    });
    return [{ code: "NODEPORT_ADDRESSES", summary, stack: stack.name, evidence, root: true }];
  },
};
