import type { ConntrackEntry, ConntrackTuple, Stack } from "../../model/index.ts";
import { type Address, familyOf, hasPorts } from "../../net/index.ts";

/** Entries of a connection table as packets may find them: by both ends of one of their tuples. */
export class Tracked {
  /** Conntrack runs where it has entries (conntrackActive()). */
  readonly families: string;
  readonly #bySource = new Map<Address, { readonly entry: ConntrackEntry; readonly tuple: ConntrackTuple }[]>();

  constructor({ conntrack: { items } }: Stack) {
    this.families = [...new Set(items.map((e) => familyOf(e.original.src)))].sort().join();
    for (const entry of items)
      for (const tuple of [entry.original, entry.reply]) {
        const known = this.#bySource.get(tuple.src);
        if (known === undefined) this.#bySource.set(tuple.src, [{ entry, tuple }]);
        else known.push({ entry, tuple });
      }
  }

  /**
   * Those between two of these addresses: one of them may be found, or its port is passed over where another is drawn. `ports`: what packets have for
   * ports where both of theirs are known; what such a packet's source port was given before it is given again (find_appropriate_src()), whoever it was for.
   */
  met(addresses: readonly Address[], ports: ReadonlySet<number> | undefined): readonly ConntrackEntry[] {
    const among = new Set(addresses);
    const found = new Set<ConntrackEntry>();
    for (const address of among)
      for (const { entry, tuple } of this.#bySource.get(address) ?? []) {
        const isMapped =
          ports !== undefined && tuple === entry.original && (!hasPorts(tuple.protocol) || ports.has(tuple.sport));
        if (isMapped || among.has(tuple.dst)) found.add(entry);
      }
    return [...found];
  }
}
