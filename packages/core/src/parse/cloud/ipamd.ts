import type { CardAddress } from "../../model/index.ts";
import { type Address, parseAddress } from "../../net/index.ts";
import type { Reading } from "../dialect.ts";
import { originAt, type Source } from "../source.ts";

export const claimIpamd = (line: string): "head" | "no" => {
  const text = line.slice(0, 4000);
  return /"AvailableIPv4Cidrs"|"ENIIPPools"|"IPAMMetadata"|^\{"aws-cni\/|"version": ?"vpc-cni-ipam\//.test(text)
    ? "head"
    : "no";
};

type Json = Readonly<Record<string, unknown>>;
const isJson = (v: unknown): v is Json => typeof v === "object" && v !== null && !Array.isArray(v);
const each = (v: unknown): readonly Json[] => (isJson(v) ? Object.values(v).filter(isJson) : []);
const addressIn = (v: unknown): Address | undefined => (typeof v === "string" ? parseAddress(v) : undefined);
const numberIn = (v: unknown): number | undefined => (typeof v === "number" ? v : undefined);

/**
 * What the agent of the AWS VPC plugin says on its introspection port (`/v1/enis`, `/v1/pods`) and keeps in `ipam.json`: which address is
 * which pod's, and by which of the node's cards the VPC delivers it.
 */
export function readIpamd(source: Source): Reading {
  let parsed: unknown;
  try {
    parsed = JSON.parse(source.lines.join("\n"));
  } catch {
    return { facts: [], diagnostics: [], counts: {} };
  }
  if (!isJson(parsed)) return { facts: [], diagnostics: [], counts: {} };
  const origin = originAt(source, 0);
  const addresses = [...ofCards(parsed), ...ofPods(parsed), ...ofAllocations(parsed)].map((a) => ({ ...a, origin }));
  return { facts: [{ kind: "card-addresses", addresses }], diagnostics: [], counts: { addresses: addresses.length } };
}

type Found = Omit<CardAddress, "origin">;

const found = (address: Address | undefined, card: number | undefined, metadata?: unknown): readonly Found[] => {
  if (address === undefined) return [];
  const { k8sPodNamespace: namespace, k8sPodName: name } = isJson(metadata) ? metadata : {};
  const pod = typeof namespace === "string" && typeof name === "string" ? { pod: { namespace, name } } : {};
  return [{ address, ...(card !== undefined && { card }), ...pod }];
};

/** `/v1/enis`: addresses of each card, by prefix or one by one. */
const ofCards = (root: Json): readonly Found[] =>
  [...each(root.ENIs), ...each(root.ENIIPPools)].flatMap((eni) =>
    [eni.IPv4Addresses, ...each(eni.AvailableIPv4Cidrs).map((c) => c.IPAddresses)]
      .flatMap(each)
      .flatMap((a) => found(addressIn(a.Address), numberIn(eni.DeviceNumber), a.IPAMMetadata)),
  );

/** `/v1/pods`: by sandbox. */
const ofPods = (root: Json): readonly Found[] =>
  each(root).flatMap((p) => found(addressIn(p.IPv4 ?? p.IP), numberIn(p.DeviceNumber)));

const ofAllocations = ({ allocations }: Json): readonly Found[] =>
  (Array.isArray(allocations) ? allocations : [])
    .filter(isJson)
    .flatMap((a) => found(addressIn(a.ipv4), undefined, a.metadata));
