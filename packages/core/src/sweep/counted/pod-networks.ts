import type { KubernetesNode } from "../../model/index.ts";
import { type Address, familyOf, networkOf, type Prefix, parsePrefix } from "../../net/index.ts";

/** Whose pods' network an address is in. */
export class PodNetworks {
  readonly #byLength = new Map<string, Map<Address, string>>();
  readonly #lengths: { readonly family: 4 | 6; readonly length: number }[] = [];
  /** Two nodes have networks that are in one another. */
  readonly overlap: boolean;

  constructor(nodes: readonly KubernetesNode[]) {
    const all: { readonly name: string; readonly prefix: Prefix }[] = [];
    let twice = false;
    for (const { name, podCidrs } of nodes)
      for (const cidr of podCidrs) {
        const prefix = networkOf(parsePrefix(cidr)!);
        const family = familyOf(prefix.address);
        const key = `${family}/${prefix.length}`;
        if (!this.#byLength.has(key)) {
          this.#byLength.set(key, new Map());
          this.#lengths.push({ family, length: prefix.length });
        }
        const known = this.#byLength.get(key)!;
        twice ||= known.has(prefix.address);
        known.set(prefix.address, name);
        all.push({ name, prefix });
      }
    this.overlap = twice || all.some(({ prefix }) => this.#within(prefix.address, prefix.length) !== undefined);
  }

  of(address: Address): string | undefined {
    return this.#within(address, 129);
  }

  #within(address: Address, shorterThan: number): string | undefined {
    const own = familyOf(address);
    for (const { family, length } of this.#lengths) {
      if (family !== own || length >= shorterThan) continue;
      const found = this.#byLength.get(`${family}/${length}`)!.get(networkOf({ address, length }).address);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
