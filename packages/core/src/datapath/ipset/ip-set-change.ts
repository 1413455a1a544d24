import { portKey } from "../../model/index.ts";
import { formatAddress, hasPorts } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { memo } from "../kernel/memo.ts";
import type { Skb } from "../kernel/skb.ts";
import type { CompiledSet } from "./ip-set-test.ts";

/** Elements that packets of this walk added (true) or took away (false), by their values. */
type Changes = Map<string, boolean>;

const changesOf = (kernel: Kernel, name: string): Changes | undefined =>
  kernel.scratch.get(`set/${name}`) as Changes | undefined;

/** The element a packet stands for in a set of single values; undefined where its type is not followed. */
function elementOf(set: CompiledSet, skb: Skb, directions: readonly ("src" | "dst")[]): string | undefined {
  const { dimensions, method } = set.set;
  if (method === "list" || directions.length < dimensions.length) return undefined;
  const { packet } = skb;
  const parts: string[] = [];
  for (const [i, dimension] of dimensions.entries()) {
    const source = directions[i] === "src";
    if (dimension === "ip") parts.push(formatAddress(set.masked(source ? packet.src : packet.dst)));
    else if (dimension === "port" && hasPorts(packet.protocol)) {
      const protocol = method === "bitmap" ? "" : `${packet.protocol}:`;
      parts.push(`${protocol}${portKey(source ? packet.sport : packet.dport)}`);
    } else return undefined;
  }
  return parts.join(",");
}

/** `-j SET`. Follows ip_set_add() and ip_set_del(). False: sets of this type are not followed. */
export function ipSetChange(
  kernel: Kernel,
  set: CompiledSet | undefined,
  skb: Skb,
  directions: readonly ("src" | "dst")[],
  added: boolean,
): boolean {
  const element = set === undefined ? undefined : elementOf(set, skb, directions);
  if (set === undefined || element === undefined) return false;
  const changes = memo(kernel.scratch, `set/${set.set.name}`, () => new Map<string, boolean>()) as Changes;
  changes.set(element, added);
  return true;
}

/** Whether this walk added or removed what the packet stands for; undefined: it left it alone. */
export function changedElement(
  kernel: Kernel,
  set: CompiledSet,
  skb: Skb,
  directions: readonly ("src" | "dst")[],
): boolean | undefined {
  const changes = changesOf(kernel, set.set.name);
  const element = changes === undefined ? undefined : elementOf(set, skb, directions);
  return element === undefined ? undefined : changes?.get(element);
}
