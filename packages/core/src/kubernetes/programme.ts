import { programmeIptables } from "./iptables/index.ts";
import { programmeIpvs } from "./ipvs/index.ts";
import type { Programmed } from "./programmed.ts";
import { familiesOf, type ProxyInput, viewOf } from "./view.ts";

export type Programme =
  | { readonly kind: "programmed"; readonly families: readonly Programmed[] }
  /** A mode that is not modelled (nftables, userspace, another proxy): nothing may be concluded from the objects. */
  | { readonly kind: "not-modelled"; readonly mode: string };

export function programme(input: ProxyInput): Programme {
  const { mode } = input.config;
  switch (mode) {
    case "iptables":
      return {
        kind: "programmed",
        families: familiesOf(input).map((family) => programmeIptables(viewOf(input, family))),
      };
    case "ipvs":
      return { kind: "programmed", families: familiesOf(input).map((family) => programmeIpvs(viewOf(input, family))) };
    default:
      return { kind: "not-modelled", mode };
  }
}
