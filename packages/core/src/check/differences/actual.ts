import { mergeNftTables } from "../../assemble/netfilter/merge-nft.ts";
import {
  type Device,
  type Extent,
  type IpSet,
  type IptablesTable,
  isKubeProxyTable,
  type NftTable,
  type SysctlEntry,
  type VirtualService,
} from "../../model/index.ts";
import {
  devicesOf,
  facts,
  type StackView,
  servicesOf,
  setsOf,
  sysctlsOf,
  tablesOf,
  wholeAddressLists,
  wholeDeviceLists,
} from "../view.ts";

/** What was shown of one node, as far as kube-proxy programs it. Absent: nobody showed it, and nothing is said of it. */
export interface Actual {
  readonly tables: readonly IptablesTable[];
  readonly sets?: { readonly items: readonly IpSet[]; readonly extent: Extent };
  readonly servers?: { readonly items: readonly VirtualService[]; readonly extent: Extent };
  /** kube-proxy's own tables of its nftables mode; `whole`: the ruleset was shown, so that what it lacks is not there. */
  readonly nft: readonly NftTable[];
  readonly rulesetWhole: boolean;
  readonly devices: readonly Device[];
  readonly devicesWhole: boolean;
  readonly addressesWhole: boolean;
  readonly sysctls: ReadonlyMap<string, SysctlEntry>;
}

export function actualOf(view: StackView): Actual {
  const sets = facts(view, "ipset");
  const servers = facts(view, "ipvs");
  const nft = facts(view, "nft");
  const extentOf = (list: readonly { readonly extent: Extent }[]): Extent =>
    list.some((f) => f.extent === "whole") ? "whole" : "partial";
  return {
    tables: onceEach(tablesOf(view)),
    ...(sets.length > 0 && { sets: { items: setsOf(view), extent: extentOf(sets) } }),
    ...(servers.length > 0 && { servers: { items: servicesOf(view), extent: extentOf(servers) } }),
    nft: mergeNftTables(nft.flatMap((f) => f.tables)).filter((t) => isKubeProxyTable(t.name)),
    rulesetWhole: nft.some((f) => f.extent === "whole"),
    devices: devicesOf(view),
    devicesWhole: wholeDeviceLists(view).length > 0,
    addressesWhole: wholeAddressLists(view, 4).length > 0,
    sysctls: new Map(sysctlsOf(view).map((s) => [s.key, s])),
  };
}

/** A table shown twice is one: the whole showing beats a part. */
function onceEach(tables: readonly IptablesTable[]): readonly IptablesTable[] {
  const out = new Map<string, IptablesTable>();
  for (const table of tables) {
    const key = `${table.family} ${table.name} ${table.backend}`;
    const known = out.get(key);
    if (known === undefined || (known.extent !== "whole" && table.extent === "whole")) out.set(key, table);
  }
  return [...out.values()];
}
