import { type Ipv4, parseIpv4 } from "../../net/index.ts";

const ADDRESS = /\d{1,3}(?:\.\d{1,3}){3}/g;

/** Every address that some texts say. */
export function addressesIn(texts: Iterable<string>): ReadonlySet<Ipv4> {
  const found = new Set<Ipv4>();
  for (const text of texts)
    for (const [word] of text.matchAll(ADDRESS)) {
      const address = parseIpv4(word);
      if (address !== undefined) found.add(address);
    }
  return found;
}
