import { formatAddress, networkOf, type Prefix, parseAddress, parsePrefix } from "@hairpin/core/net/index.ts";
import { AddressMap } from "./addresses.ts";
import { type Keyed, keyed } from "./keyed.ts";
import { NameMap } from "./names.ts";

interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** tcpdump writes the port behind one more dot. */
const V4 = /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w)(?!\.\d+\.\d)/g;
const V6 = /(?<![\w:.])(?=[0-9a-fA-F]{0,4}:[0-9a-fA-F:.]*:)[0-9a-fA-F:]{2,39}(?:\.\d{1,3}){0,3}(?![\w:])/g;
const NETWORK = /(?<![\w.:])([0-9a-fA-F:.]{2,45})\/(\d{1,3})(?![\w.])/g;
const MAC = /(?<![\w:])[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}(?![\w:])/g;

/** Masks and the like: dotted, but no addresses. */
const isMask = (text: string): boolean =>
  /^(?:255|254|252|248|240|224|192|128|0)\.(?:\d+\.){2}\d+$/.test(text) && /^1*0*$/.test(bits(text));
const bits = (text: string): string =>
  text
    .split(".")
    .map((o) => Number(o).toString(2).padStart(8, "0"))
    .join("");

/** Networks that the bundle names: they must stay networks. */
function networksIn(files: readonly TextFile[]): readonly Prefix[] {
  const found = new Map<string, Prefix>();
  for (const { text } of files) {
    for (const [whole] of text.matchAll(NETWORK)) {
      const prefix = found.has(whole) ? undefined : parsePrefix(whole);
      // Of `10.0.0.5/24` the network is meant; a host is none.
      if (prefix !== undefined && prefix.length > 0) found.set(whole, networkOf(prefix));
    }
  }
  return [...found.values()];
}

function mapMac(mac: string, by: Keyed): string {
  const lower = mac.toLowerCase();
  if (/^(?:ff:){5}ff$|^(?:00:){5}00$|^01:00:5e|^33:33|^01:80:c2|^(?:ee:){5}ee$/.test(lower)) return mac;
  const bytes = by.bytes(`mac ${lower}`);
  // Whether it is of a maker or of somebody's own making stays.
  const first = (bytes[0]! & 0xfc) | (Number.parseInt(lower.slice(0, 2), 16) & 3);
  return [first, ...bytes.subarray(1, 6)].map((b) => b.toString(16).padStart(2, "0")).join(":");
}

/** How one bundle's names and addresses are changed. */
export interface Anonymiser {
  readonly text: (text: string) => string;
  readonly path: (path: string) => string;
}

export function anonymiser(files: readonly TextFile[], by: Keyed = keyed()): Anonymiser {
  const addresses = new AddressMap(networksIn(files), by);
  const names = new NameMap();
  for (const { path, text } of files) names.learn(path, text);
  const address = (text: string): string => {
    const parsed = isMask(text) ? undefined : parseAddress(text);
    if (parsed === undefined) return text;
    const mapped = addresses.map(parsed);
    return mapped === parsed ? text : formatAddress(mapped);
  };
  return {
    text: (text) =>
      names.replace(
        text
          .replace(MAC, (mac) => mapMac(mac, by))
          .replace(V6, (found) => (/^[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}$/.test(found) ? found : address(found)))
          .replace(V4, address),
      ),
    path: (path) =>
      path
        .split("/")
        .map((part) => names.replace(part))
        .join("/"),
  };
}

/**
 * The same bundle with other names, addresses and MACs, each the same everywhere. Prefixes, networks, ports, marks and rules
 * stay, so that a diagnosis is the same but for names. The key is thrown away with the process.
 */
export function anonymise(files: readonly TextFile[], by: Keyed = keyed()): readonly TextFile[] {
  const change = anonymiser(files, by);
  return files.map(({ path, text }) => ({ path: change.path(path), text: change.text(text) }));
}
