import type { CaseInput } from "../parse/case/input.ts";

const MANIFEST = /(?:^|\/)nodes\/([^/]+)\/manifest\.txt$/;
const TROUBLE = /^(?:missing|failed|timeout|cut) {1,8}\S+\/iptables-\S*save\.txt /m;

/**
 * Nodes of which `hairpin collect` took all IPv4 rules there are: its manifest tells of no trouble with them. A table that
 * such a bundle lacks is not there.
 */
export function nodesWithAllRules(inputs: readonly CaseInput[]): ReadonlySet<string> {
  return new Set(
    inputs.flatMap(({ path, text }) => {
      const node = MANIFEST.exec(path)?.[1];
      const collected = text?.startsWith("Hairpin bundle of ") === true && !TROUBLE.test(text);
      return node !== undefined && collected ? [node] : [];
    }),
  );
}
