import {
  type Address,
  bytesOf,
  contains,
  familyOf,
  formatAddress,
  ipv4At,
  ipv6At,
  networkOf,
  type Prefix,
  parseAddress,
  parsePrefix,
} from "@hairpin/core/net/index.ts";
import { AddressMap } from "./addresses.ts";
import { type Keyed, keyed } from "./keyed.ts";
import { mapOctets } from "./macs.ts";
import { NameMap } from "./names.ts";

interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** tcpdump writes the port behind one more dot. */
const V4 = /(?<![\d.])(?<![\d.][vV]?)\d{1,3}(?:\.\d{1,3}){3}(?!\d)(?!\.\d+\.\d)/g;
const V6 = /(?<![\w:.])(?=[0-9a-fA-F]{0,4}:[0-9a-fA-F:.]*:)[0-9a-fA-F:]{2,39}(?:\.\d{1,3}){0,3}(?![\w:])/g;
const NETWORK = /(?<![\w.:])([0-9a-fA-F:.]{2,45})\/(\d{1,3})(?![\w.])/g;
const OCTETS = /(?<![0-9a-fA-F:])[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5,}(?![0-9a-fA-F:])/g;
/** A bridge's number: its priority and a MAC, as `ip -d link` prints it, zeros left out, and as brctl does. */
const BRIDGE_ID = /(?<![\w:.])([0-9a-fA-F]{4}\.)([0-9a-fA-F]{1,2}(?::[0-9a-fA-F]{1,2}){5}|[0-9a-fA-F]{12})(?![\w:])/g;
/** The head of a frame that the kernel complains of (ip_handle_martian_source(), print_hex_dump()). */
const LL_HEADER = /(ll header: (?:[0-9a-fA-F]{8}: )?)((?:[0-9a-fA-F]{2} ){5,}[0-9a-fA-F]{2})(.*)/g;
/** Bytes of packets, as `tcpdump -x` and `-X` print them. */
const HEX_DUMP = /^(\s*0x[0-9a-f]{4}:)\s+(?:[0-9a-f]{2,4} ?)+.*$/gm;
/** /proc/net/route: in the byte order of the machine, and that is the little one on all that run Kubernetes. */
const PROC_ROUTE = /^(\S+\t)([0-9A-F]{8})\t([0-9A-F]{8})(?=\t[0-9A-F]{4}\t)(.*\t)([0-9A-F]{8})(?=\s)/gm;
/** /proc/net/ip_vs and ip_vs_conn: in the network's. */
const PROC_IPVS = /^(?:TCP|UDP|SCTP| {2}->) +[0-9A-F]{8}[: ][0-9A-F]{4} .*$/gm;
const PROC_IPVS_END = /(?<![0-9A-Za-z])([0-9A-F]{8})([: ][0-9A-F]{4})(?![0-9A-Za-z])/g;
/** /proc/net/tcp, udp. */
const PROC_SOCKET = /^(\s*\d+: )([0-9A-F]{8})(:[0-9A-F]{4} )([0-9A-F]{8})(?=:[0-9A-F]{4} )/gm;
const HEX = /(?<![0-9A-Za-z])(0x)?([0-9a-fA-F]{8}|[0-9a-fA-F]{32})(?![0-9A-Za-z])/g;

/** In JSON and YAML a backslash and what follows stand for a character. */
const ESCAPED = /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[nrtbf0])/g;

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

/** `10.0.0.5-10.0.0.9`, of either family. */
const RANGE = /(?<![\w.:])([0-9a-fA-F:.]{2,45})-([0-9a-fA-F:.]{2,45})(?![\w:])/g;

/** The smallest networks around the ranges that the bundle names: what lies between two ends must stay between them. */
function rangesIn(files: readonly TextFile[]): readonly Prefix[] {
  const found = new Map<string, Prefix>();
  for (const { text } of files)
    for (const [whole, from, to] of text.matchAll(RANGE)) {
      const [a, b] = found.has(whole) ? [] : [parseAddress(from!), parseAddress(to!.replace(/[.:]+$/, ""))];
      if (a === undefined || b === undefined || familyOf(a) !== familyOf(b)) continue;
      for (let length = familyOf(a) === 4 ? 32 : 128; length >= 0; length--)
        if (networkOf({ address: a, length }).address === networkOf({ address: b, length }).address) {
          found.set(whole, networkOf({ address: a, length }));
          break;
        }
    }
  return [...found.values()];
}

/** Addresses that the bundle shows as such: the same bytes in hexadecimal are one, too. */
function addressesIn(files: readonly TextFile[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { text } of files)
    for (const [whole] of [...text.matchAll(V4), ...text.matchAll(V6)]) {
      const address = parseAddress(whole);
      if (address !== undefined) found.add(hexOf(address));
    }
  return found;
}

const hexOf = (address: Address): string =>
  bytesOf(address)
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");

const addressOfHex = (hex: string): Address => {
  const bytes = (hex.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
  return bytes.length === 4 ? ipv4At(bytes) : ipv6At(bytes);
};

const turned = (hex: string): string => (hex.match(/../g) ?? []).reverse().join("");

/** Two characters for private use stand for what is put aside: no dump has them, and they belong to no name. */
const FIRST = 0xe000;
const EACH = 0x1800;
const MARK = /([\uE000-\uF7FF])([\uE000-\uF7FF])/g;
const markOf = (n: number): string => String.fromCharCode(FIRST + Math.floor(n / EACH), FIRST + (n % EACH));
const numberOf = (high: string, low: string): number =>
  (high.charCodeAt(0) - FIRST) * EACH + (low.charCodeAt(0) - FIRST);

/** How one bundle's names and addresses are changed. */
export interface Anonymiser {
  readonly text: (text: string, path?: string) => string;
  readonly path: (path: string) => string;
}

/** Where a long number may name an account or a machine; elsewhere it counts packets, bytes or time. */
const MAY_IDENTIFY = /\.(?:ya?ml|json)$|(?:^|\/)kubernetes\/|log|release|manifest/i;

export function anonymiser(files: readonly TextFile[], by: Keyed = keyed()): Anonymiser {
  const networks = networksIn(files);
  const addresses = new AddressMap(networks, by, rangesIn(files));
  const shown = addressesIn(files);
  const names = new NameMap(by);
  for (const { path, text } of files) names.see(`${path}\n${text}`);
  for (const { path, text } of files) names.learn(path, text);

  const address = (text: string): string => {
    const parsed = isMask(text) ? undefined : parseAddress(text);
    if (parsed === undefined) return text;
    const mapped = addresses.map(parsed);
    return mapped === parsed ? text : formatAddress(mapped);
  };
  const hex = (text: string, little = false): string => {
    const straight = little ? turned(text) : text;
    const mapped = hexOf(addresses.map(addressOfHex(straight)));
    const back = little ? turned(mapped) : mapped;
    return text === text.toLowerCase() ? back : back.toUpperCase();
  };
  const bridgeMac = (text: string): string => {
    const short = text.includes(":");
    const octets = short ? text.split(":").map((o) => o.padStart(2, "0")) : text.match(/../g)!;
    const mapped = mapOctets(octets, by);
    return short ? mapped.map((o) => o.replace(/^0(?=.)/, "")).join(":") : mapped.join("");
  };
  /** Only where the bundle shows the address in its usual form as well: a mark looks the same. */
  const knownHex = (whole: string, prefix: string | undefined, digits: string): string => {
    const lower = digits.toLowerCase();
    if (prefix === undefined && !/[a-f]/.test(lower)) return whole;
    if (shown.has(lower)) return (prefix ?? "") + hex(digits);
    if (digits.length === 8 && shown.has(turned(lower))) return (prefix ?? "") + hex(digits, true);
    if (digits.length !== 8) return whole;
    // A mark has few bits; what lies in one of the bundle's networks is an address.
    const value = addressOfHex(lower);
    const address = bytesOf(value).filter((byte) => byte !== 0).length > 2;
    return address && networks.some((n) => n.length > 7 && contains(n, value)) ? (prefix ?? "") + hex(digits) : whole;
  };

  const change = (text: string, long: boolean): string => {
    // What is done is put aside, so that nothing is changed twice.
    const done: string[] = [];
    const aside = (finished: string): string => markOf(done.push(finished) - 1);
    const put = (pattern: RegExp, made: (match: readonly string[]) => string) => {
      rest = rest.replace(pattern, (...found) => made(found as readonly string[]));
    };
    let rest = text.replace(/[\uE000-\uF8FF]/g, "?");
    put(ESCAPED, ([whole]) => aside(whole!));
    put(LL_HEADER, ([, head, octets]) => aside(`${head}${mapOctets(octets!.split(" "), by).join(" ")}`));
    put(HEX_DUMP, ([, offset]) => aside(`${offset}  0000`));
    put(
      PROC_ROUTE,
      ([, device, to, via, between, mask]) =>
        `${device}${aside(hex(to!, true))}\t${aside(hex(via!, true))}${between}${aside(mask!)}`,
    );
    put(PROC_SOCKET, ([, head, from, port, to]) => aside(`${head}${hex(from!, true)}${port}${hex(to!, true)}`));
    put(PROC_IPVS, ([line]) =>
      line!.replace(PROC_IPVS_END, (_, to: string, port: string) => aside(`${hex(to)}${port}`)),
    );
    put(BRIDGE_ID, ([, priority, mac]) => aside(`${priority}${bridgeMac(mac!)}`));
    put(OCTETS, ([whole]) => aside(mapOctets(whole!.split(":"), by).join(":")));
    put(V6, ([whole]) => aside(address(whole!)));
    put(V4, ([whole]) => aside(address(whole!)));
    put(HEX, ([whole, prefix, digits]) => {
      const mapped = knownHex(whole!, prefix, digits!);
      return mapped === whole ? whole : aside(mapped);
    });
    return names.replace(rest, long).replace(MARK, (_, high: string, low: string) => done[numberOf(high, low)]!);
  };
  return {
    text: (text, path = "") => change(text, !MAY_IDENTIFY.test(path)),
    path: (path) =>
      path
        .split("/")
        .map((part) => names.part(part))
        .join("/"),
  };
}

/**
 * The same bundle with other names, addresses and MACs, each the same everywhere. By allow-list: what the readers know, and numbers of
 * known kinds, stay, and with them prefixes, networks, ports, marks and rules, so that a diagnosis is the same but for names. The
 * key is thrown away with the process.
 */
export function anonymise(files: readonly TextFile[], by: Keyed = keyed()): readonly TextFile[] {
  const change = anonymiser(files, by);
  return files.map(({ path, text }) => ({ path: change.path(path), text: change.text(text, path) }));
}
