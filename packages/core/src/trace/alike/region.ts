import { memo } from "../../datapath/index.ts";
import type { World } from "../../model/index.ts";
import { type Address, formatAddress, type Ipv4, ipv4Of, isIpv4, parseAddress, uint32Of } from "../../net/index.ts";
import type { QuestionSpec } from "../question/resolve-question.ts";
import { addressSpansOf } from "./address-spans.ts";
import { addressesIn } from "./addresses-in.ts";
import type { Spans } from "./spans.ts";

/** The packets for which an answer is the same: with each of these addresses in the place of the asked one. */
export interface Region {
  /** Where the question says from which address it comes. */
  readonly src?: readonly string[];
  readonly dst: readonly string[];
}

const known = new WeakMap<World, { readonly spans: Spans | undefined }>();

/** Cut at every address that anything in the World names, lines of tables included. */
const spansOf = (world: World): Spans | undefined =>
  memo(known, world, () => {
    const said = addressSpansOf(world);
    for (const table of said?.tables ?? [])
      for (const address of table.networks!().addresses) said!.spans.cut(address, address);
    return { spans: said?.spans };
  }).spans;

/** Services are told from hosts by the upper half of an address (isNearServices()). */
const NEAR = 0x10000;

/**
 * For which addresses an answer holds. Nothing in a World tells addresses of one span apart, and a walk only compares them and looks
 * them up: so from each of the client's span, and to each of the asked one's, it goes the same way. What is named somewhere is alone.
 */
export function regionOf(
  world: World,
  { from, ...rest }: QuestionSpec,
  to: Address,
  fixed: ReadonlyMap<string, string>,
): Region {
  const client = parseAddress(from ?? "");
  const others = addressesIn([...fixed.keys(), rest.bind ?? "", rest.home ?? ""]);
  const spans = isIpv4(to) && (client === undefined || isIpv4(client)) ? spansOf(world) : undefined;
  if (spans === undefined || !isIpv4(to))
    return { ...(client !== undefined && { src: [alone(client)] }), dst: [alone(to)] };
  const near = Math.floor(uint32Of(to) / NEAR) * NEAR;
  if (client === undefined) {
    const [first, last] = narrowed(spans.bounds(to), to, others);
    return { dst: prefixes(Math.max(first, near), Math.min(last, near + NEAR - 1)) };
  }
  const asker = client as Ipv4;
  const src = prefixes(...narrowed(spans.bounds(asker), asker, new Set([...others, to])));
  // Two that nothing tells apart could be drawn alike: then one of them stays as it is.
  if (spans.of(asker) === spans.of(to)) return { src, dst: [alone(to)] };
  const [first, last] = narrowed(spans.bounds(to), to, new Set([...others, asker]));
  return { src, dst: prefixes(Math.max(first, near), Math.min(last, near + NEAR - 1)) };
}

const alone = (address: Address): string => `${formatAddress(address)}/${isIpv4(address) ? 32 : 128}`;

type Bounds = readonly [number, number];

/** Without others that the question itself names. */
function narrowed([from, to]: Bounds, address: Ipv4, others: ReadonlySet<Ipv4>): Bounds {
  const own = uint32Of(address);
  let [first, last] = [from, to];
  for (const other of others) {
    const n = uint32Of(other);
    if (n === own) return [own, own];
    if (n < own) first = Math.max(first, n + 1);
    else last = Math.min(last, n - 1);
  }
  return [first, last];
}

/** The fewest networks that make up a range. */
function prefixes(first: number, last: number): readonly string[] {
  const found: string[] = [];
  for (let at = first; at <= last; ) {
    let length = 32;
    while (length > 0 && at % 2 ** (33 - length) === 0 && at + 2 ** (33 - length) - 1 <= last) length--;
    found.push(`${formatAddress(ipv4Of(at))}/${length}`);
    at += 2 ** (32 - length);
  }
  return found;
}
