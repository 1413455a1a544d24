import type {
  Extent,
  NftBase,
  NftChain,
  NftFamily,
  NftFlowtable,
  NftObject,
  NftRule,
  NftSet,
  NftTable,
  Origin,
} from "../../model/index.ts";

/** A table while it is being put together: commands may add to it later. */
export interface Draft {
  readonly family: NftFamily;
  readonly name: string;
  flags: string[];
  comment?: string;
  ofIptables: boolean;
  readonly chains: Map<string, DraftChain>;
  readonly sets: Map<string, NftSet>;
  readonly objects: Map<string, NftObject>;
  readonly flowtables: Map<string, NftFlowtable>;
  readonly extent?: Extent;
  readonly origin: Origin;
}
export interface DraftChain {
  base?: NftBase;
  unread?: true;
  readonly rules: NftRule[];
  comment?: string;
  readonly origin: Origin;
}

/** A table that is there, to be changed. */
export function draftOf(table: NftTable): Draft {
  const { family, name, flags, ofIptables, comment, extent, origin } = table;
  const named = <T extends { readonly name: string }>(items: readonly T[]) => new Map(items.map((i) => [i.name, i]));
  return {
    family,
    name,
    flags: [...flags],
    ofIptables,
    ...(comment !== undefined && { comment }),
    extent,
    origin,
    chains: new Map(table.chains.map(({ name: chain, rules, ...rest }) => [chain, { ...rest, rules: [...rules] }])),
    sets: named(table.sets),
    objects: new Map(table.objects.map((o) => [`${o.kind === "other" ? o.object : o.kind} ${o.name}`, o])),
    flowtables: named(table.flowtables),
  };
}

/** The table as it came out. */
export function finish(t: Draft, extent: Extent): NftTable {
  const chains = [...t.chains].map(([name, chain]): NftChain => ({ name, ...chain }));
  // iptables-nft's rules carry extensions that nft cannot say.
  const foreign = chains.some((chain) => chain.rules.some((r) => r.statements.some((s) => s.kind === "xt")));
  return {
    family: t.family,
    name: t.name,
    flags: t.flags,
    chains,
    sets: [...t.sets.values()],
    objects: [...t.objects.values()],
    flowtables: [...t.flowtables.values()],
    ...(t.comment !== undefined && { comment: t.comment }),
    ofIptables: t.ofIptables || foreign,
    extent,
    origin: t.origin,
  };
}
