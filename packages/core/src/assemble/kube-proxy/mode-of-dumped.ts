import type { ProxyMode } from "../../kubernetes/index.ts";
import { text } from "../../messages/index.ts";
import type { CaseFile, CaseNode, KubernetesNode, KubernetesObjects, Netfilter, Stack } from "../../model/index.ts";
import type { Ledger } from "../ledger.ts";
import { kubeProxyOf } from "./mode.ts";
import { modesStated } from "./settings.ts";

/** The ruleset of nft was shown, and with it what iptables-nft has: nothing of that is missing. */
export const showsNft = ({ nft = [], nativeNft }: Netfilter): boolean => nft.length + nativeNft.length > 0;

/** In which modes kube-proxy was seen to run on nodes that were dumped. */
export type ModesElsewhere = ReadonlySet<ProxyMode>;

const modeOn = ({ netfilter, devices, ipsets, ipvs }: Stack, stated: CaseNode | undefined): ProxyMode | undefined =>
  kubeProxyOf({ tables: netfilter.tables, devices: devices.items, ipsets: ipsets.items, ipvs }, stated)?.mode;

export const observedModes = (stacks: readonly Stack[], caseFile: CaseFile | undefined): ModesElsewhere =>
  new Set(
    stacks.flatMap((s) =>
      s.kind === "node"
        ? (modeOn(
            s,
            caseFile?.nodes.find((n) => n.name === s.name),
          ) ?? [])
        : [],
    ),
  );

/** What kube-proxy runs in where nobody says otherwise, and what most clusters have. */
const LIKELY: ProxyMode = "iptables";

/** As the node itself shows it; else as configured; else as on the other nodes; else the likely one, and that is listed. */
export function modeOfDumped(
  stack: Stack,
  node: KubernetesNode,
  objects: KubernetesObjects,
  stated: CaseNode | undefined,
  elsewhere: ModesElsewhere,
  ledger: Ledger,
): ProxyMode | undefined {
  const observed = modeOn(stack, stated);
  if (observed !== undefined) return observed;
  if (showsNft(stack.netfilter)) return undefined;
  const [mode, other] = modesStated(node, objects, stated, elsewhere);
  if (mode !== undefined && other === undefined) return mode;
  const id = `${stack.name}/kube-proxy/mode`;
  const settled = ledger.settled(id);
  if (settled === "ipvs" || settled === "iptables") return settled;
  ledger.assume(id, LIKELY, text("assume.mode", { stack: stack.name, mode: LIKELY }));
  return LIKELY;
}
