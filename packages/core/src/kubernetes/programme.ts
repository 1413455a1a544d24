import { lookup } from "../model/lookup.ts";
import { programmeIptables } from "./iptables/index.ts";
import { programmeIpvs } from "./ipvs/index.ts";
import { withKubelet } from "./kubelet.ts";
import { programmeNftables } from "./nftables/index.ts";
import type { Programmed } from "./programmed.ts";
import { familiesOf, type ProxyInput, type ProxyView, viewOf } from "./view.ts";

export type Programme =
  | { readonly kind: "programmed"; readonly families: readonly Programmed[] }
  /** A mode that is not modelled (userspace, another proxy): nothing may be concluded from the objects. */
  | { readonly kind: "not-modelled"; readonly mode: string };

const MODES: Readonly<Record<string, (view: ProxyView) => Programmed>> = lookup({
  iptables: programmeIptables,
  ipvs: programmeIpvs,
  nftables: programmeNftables,
});

/** What stands on the node once kubelet and then kube-proxy have run. */
export function programme(input: ProxyInput): Programme {
  const { mode } = input.config;
  const write = MODES[mode];
  if (write === undefined) return { kind: "not-modelled", mode };
  const families = familiesOf(input).map((family): Programmed => {
    const view = viewOf(input, family);
    const programmed = write(view);
    return { ...programmed, tables: withKubelet(programmed.tables, view) };
  });
  return { kind: "programmed", families };
}
