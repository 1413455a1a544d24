import {
  isVerdict,
  type NftChain,
  type NftElement,
  type NftNat,
  type NftRule,
  type NftTable,
  type Origin,
} from "../../model/index.ts";
import { print } from "../../parse/nft/print.ts";

export interface NftEndpoint {
  readonly origin: Origin;
}

/** Whom a chain of a Service shares its packets out to, and the rules that do it. */
export interface NftEndpoints {
  readonly endpoints: ReadonlyMap<string, NftEndpoint>;
  readonly rules: readonly NftRule[];
}

/** `10.244.1.5 . 8080` as `10.244.1.5:8080`. */
const endpointText = (text: string): string => {
  const [address, port] = text.split(" . ");
  if (port === undefined) return text;
  return `${address!.includes(":") ? `[${address}]` : address}:${port}`;
};

/** Where a translation leads: to one endpoint, or to those of a map. */
function translated(s: NftNat): readonly string[] {
  const { address, port } = s;
  if (address === undefined) return [];
  if (address.kind === "map" && address.data.kind === "anonymous")
    return address.data.elements.flatMap((e) => dataText(e));
  return [endpointText(port === undefined ? print(address) : `${print(address)} . ${print(port)}`)];
}
const dataText = ({ data }: NftElement): readonly string[] =>
  data === undefined || isVerdict(data) ? [] : [endpointText(print(data))];

/** The endpoint that a chain of its own translates to. */
const endpointOf = (table: NftTable, chain: string): string | undefined =>
  table.chains
    .find((c) => c.name === chain)
    ?.rules.flatMap((r) => r.statements.flatMap((s) => (s.kind === "dnat" ? translated(s) : [])))[0];

/**
 * By `numgen … vmap { 0 : goto endpoint-… }` to chains of their own (up to 1.35, and with affinity later), by `goto endpoint-…`, or by a
 * translation in the chain itself (1.36 and later). Undefined: it leads to none.
 */
export function endpointsOf(table: NftTable, chain: NftChain): NftEndpoints | undefined {
  const endpoints = new Map<string, NftEndpoint>();
  const rules: NftRule[] = [];
  for (const rule of chain.rules) {
    const found = rule.statements.flatMap((s): readonly string[] => {
      if (s.kind === "dnat") return translated(s);
      const led =
        s.kind === "vmap" && s.map.kind === "anonymous"
          ? s.map.elements.flatMap(({ data }) => (data !== undefined && isVerdict(data) ? [data] : []))
          : s.kind === "verdict"
            ? [s.verdict]
            : [];
      // A chain that is not there is known by its name.
      return led.flatMap((v) =>
        "chain" in v && v.chain.startsWith("endpoint-") ? [endpointOf(table, v.chain) ?? v.chain] : [],
      );
    });
    if (found.length === 0) continue;
    rules.push(rule);
    for (const endpoint of found) if (!endpoints.has(endpoint)) endpoints.set(endpoint, { origin: rule.origin });
  }
  return rules.length === 0 ? undefined : { endpoints, rules };
}
