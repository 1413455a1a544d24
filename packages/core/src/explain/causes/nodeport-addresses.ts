import { text } from "../../messages/index.ts";
import type { Origin, Rule, Stack } from "../../model/index.ts";
import { formatAddress } from "../../net/index.ts";
import type { Question } from "../../trace/index.ts";
import { type Cause, stackOf, stepsOf } from "../cause.ts";

const asksFor = (rule: Rule, port: number): boolean =>
  rule.matches.some(
    (m) =>
      (m.kind === "tcp" || m.kind === "udp" || m.kind === "sctp") &&
      m.dport?.value.from === port &&
      m.dport.value.to === port,
  );

/** Where the node serves this port as a NodePort, on whatever address. */
function servedAt(stack: Stack | undefined, { port, protocol }: Question): Origin | undefined {
  for (const table of stack?.netfilter.tables ?? []) {
    const rule = table.chains
      .filter((c) => c.name === "KUBE-NODEPORTS")
      .flatMap((c) => c.rules)
      .find((r) => r.protocol?.value === protocol && asksFor(r, port));
    if (rule !== undefined) return rule.origin;
  }
  return stack?.ipvs.services.find(
    (s) => s.key.kind === "address" && s.key.port === port && s.key.protocol === protocol,
  )?.origin;
}

/** A NodePort that is served on other addresses of the node than the one that was called (nodePortAddresses). */
export const nodeportAddresses: Cause = {
  codes: ["NODEPORT_ADDRESSES"],
  detect: ({ leg, branch, question, world }) => {
    if (leg !== branch.request || leg.drop !== "NO_SOCKET") return [];
    const stack = stackOf(world, leg.stack);
    const served = servedAt(stack, question);
    const object = world.kubernetes.services.find((s) => s.ports.some((p) => p.nodePort === question.port));
    if (stack?.kind !== "node" || served === undefined) return [];
    // The rule took the packet: it is served on this address, only not to this client.
    if (stepsOf(leg, "rule").some((s) => s.origin === served)) return [];
    const evidence = object === undefined ? [served] : [served, object.origin];
    const summary = text("cause.nodeport_addresses", {
      stack: stack.name,
      port: question.port,
      address: formatAddress(question.to),
    });
    return [{ code: "NODEPORT_ADDRESSES", summary, stack: stack.name, evidence, root: true }];
  },
};
