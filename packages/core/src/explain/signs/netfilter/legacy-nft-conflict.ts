import { text } from "../../../messages/index.ts";
import { type IptablesTable, isKubeName, type Origin, type Stack } from "../../../model/index.ts";
import { formatAddress } from "../../../net/index.ts";
import type { Look, Sign } from "../../sign.ts";
import { crosses, observedToFail, shownStacks, suspect } from "../claim.ts";

/** Where kube-proxy's chains of one back end translate to, and a line of them. */
function targetsOf(tables: readonly IptablesTable[]): { readonly to: ReadonlySet<string>; readonly origin?: Origin } {
  const rules = tables
    .filter((t) => t.name === "nat")
    .flatMap((t) => t.chains.filter((c) => isKubeName(c.name)).flatMap((c) => c.rules));
  const to = new Set(
    rules.flatMap(({ target }) =>
      target.kind === "dnat" && target.to.addresses !== undefined ? [formatAddress(target.to.addresses.from)] : [],
    ),
  );
  const [first] = rules;
  return first === undefined ? { to } : { to, origin: first.origin };
}

/**
 * kube-proxy's rules in both back ends of iptables: both run. Guard: empty tables, or the same endpoints, do no harm; the walk goes through both. Without a failure that was seen it
 * counts only where this very flow goes to an endpoint that one of the back ends does not know.
 */
export const legacyNftConflict: Sign = {
  codes: ["LEGACY_NFT_CONFLICT"],
  detect: (look) => shownStacks(look).flatMap((s) => conflictOf(look, s)),
};

/** Where kube-proxy's chains of the two back ends of a stack translate to, and that they differ in it; undefined: they do not. */
function conflictIn(stack: Stack) {
  // What kube-proxy would have programmed stands in one back end, and is not made for this question.
  if (stack.fromObjects === true) return undefined;
  const { tables } = stack.netfilter;
  if (!tables.some((t) => t.backend === "legacy") || !tables.some((t) => t.backend === "nft")) return undefined;
  const legacy = targetsOf(tables.filter((t) => t.backend === "legacy"));
  const nft = targetsOf(tables.filter((t) => t.backend === "nft"));
  const either = [...legacy.to].filter((a) => !nft.to.has(a)).concat([...nft.to].filter((a) => !legacy.to.has(a)));
  if (legacy.origin === undefined || nft.origin === undefined || either.length === 0) return undefined;
  return { origins: [legacy.origin, nft.origin], either };
}

export const backEndsDiffer = (stack: Stack): boolean => conflictIn(stack) !== undefined;

const goesTo = ({ exploration }: Look, addresses: readonly string[]): boolean =>
  exploration.branches.some((b) => addresses.includes(formatAddress(b.request.final.dst)));

function conflictOf(look: Look, stack: Stack) {
  const conflict = conflictIn(stack);
  if (conflict === undefined) return [];
  // Where it is known which of them is asked first, the walk has the answer.
  const open =
    stack.netfilter.firstRegistered === undefined &&
    !look.exploration.fixed.has(`${stack.name}/netfilter/registered-first`);
  const doubtful = observedToFail(look) || (open && goesTo(look, conflict.either));
  if (!crosses(look.exploration, stack.name) || !doubtful) return [];
  return [
    suspect({
      code: "LEGACY_NFT_CONFLICT",
      stack: stack.name,
      summary: text("cause.legacy_nft_conflict", { stack: stack.name }),
      evidence: conflict.origins,
      step: "nat",
      check: { text: text("check.back-ends"), command: "iptables-legacy-save -t nat; iptables-nft-save -t nat" },
    }),
  ];
}
