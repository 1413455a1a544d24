import { type IpSet, portKey, type SetEntry } from "../../model/index.ts";
import { type Address, applyMask, familyOf, formatAddress, hasPorts, maskFor, maxLength } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { memo } from "../kernel/memo.ts";
import { lengthOf, type Skb } from "../kernel/skb.ts";
import type { HookState } from "../netfilter/nf-hooks.ts";
import { withinBitmap } from "./bitmap-range.ts";
import { beginCounter } from "./ip-set-counter.ts";
import type { CompiledSet } from "./ip-set-test.ts";

type Directions = readonly ("src" | "dst")[];

/** Elements that packets of this walk added (true) or took away (false), by their values. */
interface Changes {
  readonly elements: Map<string, boolean>;
  /** Prefix lengths under which networks were put down, most specific first. */
  readonly lengths: Set<number>;
}

const changesOf = (kernel: Kernel, name: string): Changes | undefined =>
  kernel.scratch.get(`set/${name}`) as Changes | undefined;

/** The element a packet stands for, its networks cut to a length; undefined where it stands for none. */
function elementOf(
  set: CompiledSet,
  { packet, mark, sourceMac, destinationMac }: Skb,
  state: HookState,
  directions: Directions,
  length: number,
): string | undefined {
  const { dimensions, method } = set.set;
  if (method === "list" || directions.length < dimensions.length) return undefined;
  if (!withinBitmap(set.set, packet, directions[0]!)) return undefined;
  const parts: string[] = [];
  for (const [i, dimension] of dimensions.entries()) {
    const source = directions[i] === "src";
    const address: Address = set.masked(source ? packet.src : packet.dst);
    switch (dimension) {
      case "ip":
        parts.push(formatAddress(address));
        break;
      case "net":
        parts.push(`${formatAddress(applyMask(address, maskFor(address, length)))}/${length}`);
        break;
      case "port": {
        // ip_set_get_ip_port(): ICMP has type and code for its port; of other protocols only bitmap:port takes no element.
        const protocol = method === "bitmap" ? "" : `${packet.protocol}:`;
        if (hasPorts(packet.protocol)) parts.push(`${protocol}${portKey(source ? packet.sport : packet.dport)}`);
        else if (method === "bitmap") return undefined;
        else parts.push(`${protocol}${packet.icmp === undefined ? 0 : `${packet.icmp.type}/${packet.icmp.code}`}`);
        break;
      }
      case "mac": {
        const mac = source ? sourceMac : destinationMac;
        if (mac === undefined) return undefined;
        parts.push(mac);
        break;
      }
      case "iface": {
        const device = source ? state.in : state.out;
        if (device === undefined) return undefined;
        parts.push(device.name);
        break;
      }
      case "mark":
        parts.push(String((mark & markMask(set)) >>> 0));
        break;
      default:
        return undefined;
    }
  }
  return parts.join(",");
}

/** Sets of ports or hardware addresses alone are of either family (NFPROTO_UNSPEC); bitmap:ip is of IPv4. */
export const isOfFamily = ({ dimensions, family }: IpSet, { packet }: Skb): boolean =>
  dimensions.every((d) => d === "mac" || d === "port") || family === familyOf(packet.dst);

export function markMask({ set }: CompiledSet): number {
  const option = set.options.find((o) => o.name === "markmask")?.value;
  return option === undefined ? 0xffffffff : Number(option) >>> 0;
}

/** hash_net4_kadt(), INIT_CIDR: a packet's network is put down with the longest prefix that the set holds, as a host where it is empty. */
function lengthIn(kernel: Kernel, { set }: CompiledSet): number {
  const lengths = set.entries.flatMap(({ parts }: SetEntry) =>
    parts.flatMap((p) => (p.kind === "address" ? [p.length] : p.kind === "range" ? [maxLength(p.from)] : [])),
  );
  const all = [...lengths, ...(changesOf(kernel, set.name)?.lengths ?? [])];
  return all.length === 0 ? (set.family === 6 ? 128 : 32) : all.reduce((a, b) => Math.max(a, b));
}

/** `-j SET`. Follows ip_set_add() and ip_set_del(), for a list list_set_kadd(): its first member that takes it. False: nothing is changed. */
export function ipSetChange(
  kernel: Kernel,
  set: CompiledSet | undefined,
  skb: Skb,
  state: HookState,
  directions: Directions,
  added: boolean,
): boolean {
  if (set === undefined) return false;
  if (set.set.method === "list")
    return set.set.entries.some(({ parts: [part] }) => {
      const member = part?.kind === "set" ? set.member(part.name) : undefined;
      return member?.set.method !== "list" && ipSetChange(kernel, member, skb, state, directions, added);
    });
  if (!isOfFamily(set.set, skb)) return true;
  const length = lengthIn(kernel, set);
  const element = elementOf(set, skb, state, directions, length);
  // A packet that stands for no element of the set changes nothing in it.
  if (element === undefined) return true;
  const changes = memo(
    kernel.scratch,
    `set/${set.set.name}`,
    (): Changes => ({ elements: new Map(), lengths: new Set() }),
  ) as Changes;
  if (added && changes.elements.get(element) !== true) {
    if (isFull(set, changes)) return false;
    beginCounter(kernel, set, element, lengthOf(skb));
  }
  changes.elements.set(element, added);
  changes.lengths.add(length);
  return true;
}

/** mtype_add(): no more than maxelem, unless `forceadd` makes room by taking another out. */
function isFull({ set }: CompiledSet, { elements }: Changes): boolean {
  const option = (name: string) => set.options.find((o) => o.name === name);
  if (set.method !== "hash" || option("forceadd") !== undefined) return false;
  let size = set.entries.length;
  for (const added of elements.values()) size += added ? 1 : -1;
  return size >= Number(option("maxelem")?.value ?? 65536);
}

/** Whether this walk added or removed what the packet stands for; undefined: it left it alone. */
export function changedElement(
  kernel: Kernel,
  set: CompiledSet,
  skb: Skb,
  state: HookState,
  directions: Directions,
): { readonly element: string; readonly added: boolean } | undefined {
  const changes = changesOf(kernel, set.set.name);
  if (changes === undefined) return undefined;
  for (const length of [...changes.lengths].sort((a, b) => b - a)) {
    const element = elementOf(set, skb, state, directions, length);
    const changed = element === undefined ? undefined : changes.elements.get(element);
    if (element !== undefined && changed !== undefined) return { element, added: changed };
  }
  return undefined;
}
