import type { SetCounterTest, SetEntry, SetMatch } from "../../model/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { memo } from "../kernel/memo.ts";
import type { CompiledSet } from "./ip-set-test.ts";

interface Counter {
  packets: number;
  bytes: number;
}

/** An entry of the dump, or by its values an element that a packet of this walk put down. */
export type Element = SetEntry | string;

export const hasCounters = ({ set }: CompiledSet): boolean => set.options.some((o) => o.name === "counters");

const countersOf = (kernel: Kernel, { set }: CompiledSet): Map<Element, Counter> =>
  memo(kernel.scratch, `set-counters/${set.name}`, () => new Map<Element, Counter>()) as Map<Element, Counter>;

/** mtype_add(): an element that `-j SET` puts down has counted the packet that did so (IP_SET_INIT_KEXT). */
export function beginCounter(kernel: Kernel, set: CompiledSet, element: string, bytes: number): void {
  if (hasCounters(set)) countersOf(kernel, set).set(element, { packets: 1, bytes });
}

/** Follows ip_set_match_extensions() (ip_set_core.c): the element counts the packet, unless told not to, and is compared then. */
export function matchCounters(kernel: Kernel, set: CompiledSet, element: Element, m: SetMatch, bytes: number): boolean {
  if (!hasCounters(set)) return true;
  const counters = countersOf(kernel, set);
  const counter = counters.get(element) ?? shownIn(element);
  if (!m.noUpdateCounters) {
    counter.packets += 1;
    counter.bytes += bytes;
  }
  counters.set(element, counter);
  return compare(counter.packets, m.packets) && compare(counter.bytes, m.bytes);
}

const shownIn = (element: Element): Counter =>
  typeof element === "string" ? { packets: 0, bytes: 0 } : { packets: element.packets ?? 0, bytes: element.bytes ?? 0 };

/** ip_set_match_counter() */
function compare(counter: number, test: SetCounterTest | undefined): boolean {
  if (test === undefined) return true;
  switch (test.operator) {
    case "eq":
      return counter === test.value;
    case "ne":
      return counter !== test.value;
    case "lt":
      return counter < test.value;
    case "gt":
      return counter > test.value;
  }
}
