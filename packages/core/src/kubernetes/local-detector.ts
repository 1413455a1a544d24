import { is, isNot, type MaskedAddress, type Negatable } from "../model/index.ts";
import { applyMask, type Family, familyOf, maskFor, type Prefix, parsePrefix } from "../net/index.ts";

/** What counts as traffic of this node's or this cluster's pods (detectLocalMode). */
export type LocalDetector =
  | { readonly kind: "none" }
  | { readonly kind: "cidr"; readonly prefix: Prefix }
  | { readonly kind: "interface"; readonly name: string };

export const NO_DETECTOR: LocalDetector = { kind: "none" };

/** Only the first CIDR of each family is looked at. Follows getLocalDetectors() (cmd/kube-proxy/app/server_linux.go). */
export function firstCidr(cidrs: readonly string[], family: Family): LocalDetector {
  for (const text of cidrs) {
    const prefix = parsePrefix(text.trim());
    if (prefix !== undefined && familyOf(prefix.address) === family) return { kind: "cidr", prefix };
  }
  return NO_DETECTOR;
}

/** The part of a rule that says "from a pod", or its opposite. */
export interface SourceTest {
  readonly source?: Negatable<MaskedAddress>;
  readonly inInterface?: Negatable<string>;
}

export const maskedPrefix = ({ address, length }: Prefix): MaskedAddress => {
  const mask = maskFor(address, length);
  return { address: applyMask(address, mask), mask };
};

function sourceTest(detector: LocalDetector, negated: boolean): SourceTest | undefined {
  switch (detector.kind) {
    case "none":
      return undefined;
    case "cidr":
      return { source: (negated ? isNot : is)(maskedPrefix(detector.prefix)) };
    case "interface":
      return { inInterface: (negated ? isNot : is)(detector.name) };
  }
}

export const ifLocal = (detector: LocalDetector): SourceTest | undefined => sourceTest(detector, false);
export const ifNotLocal = (detector: LocalDetector): SourceTest | undefined => sourceTest(detector, true);
