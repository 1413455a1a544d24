import type { MaskedAddress } from "../../../../model/index.ts";
import type { PortRange } from "../../../../net/index.ts";
import { formatAddress, parseIpv6 } from "../../../../net/index.ts";
import { option } from "../../rule/extension.ts";
import {
  flag,
  formatRange,
  network,
  parseRange,
  parseUnsigned,
  single,
  U8,
  U16,
  U32,
  unsigned,
  unsignedRange,
  type Value,
} from "../../values/index.ts";
import { otherMatch, otherTarget } from "../other.ts";

/** Matches on IPv6 extension headers and prefix translation: read and printed, not simulated. */

const all32 = (range: PortRange) => range.from === 0 && range.to === U32;
const range32 = (name: string) => option(name, unsignedRange(U32), { negatable: true, everything: all32 });
const length = (name: string) => option(name, unsigned(U32), { negatable: true });

export const ah6 = otherMatch({
  name: "ah",
  family: 6,
  fields: { spi: range32("--ahspi"), length: length("--ahlen"), reserved: option("--ahres", flag) },
});

/** `TYPE[:LEN],…`, at most 16 of them. */
const headerOptions: Value<string> = single("a list of TYPE or TYPE:LENGTH, at most 16", (text) => {
  const parts = text.split(",");
  const fine = parts.every((part) => {
    const [type = "", len, more] = part.split(":");
    return (
      more === undefined &&
      parseUnsigned(type, U8) !== undefined &&
      (len === undefined || parseUnsigned(len, U8) !== undefined)
    );
  });
  return fine && parts.length <= 16 ? text : undefined;
});

const optionsHeader = (name: "dst" | "hbh") =>
  otherMatch({
    name,
    family: 6,
    fields: { length: length(`--${name}-len`), options: option(`--${name}-opts`, headerOptions) },
  });
export const dst = optionsHeader("dst");
export const hbh = optionsHeader("hbh");

export const eui64 = otherMatch<Record<never, never>>({
  name: "eui64",
  family: 6,
  hooks: ["PREROUTING", "INPUT", "FORWARD"],
  fields: {},
});

export const frag = otherMatch({
  name: "frag",
  family: 6,
  fields: {
    id: range32("--fragid"),
    length: length("--fraglen"),
    reserved: option("--fragres", flag),
    first: option("--fragfirst", flag),
    more: option("--fragmore", flag),
    last: option("--fraglast", flag),
  },
  check: (all) => (all.more && all.last ? "--fragmore and --fraglast together" : undefined),
});

/** Long names in the order of the kernel's bits. */
const HEADERS: readonly (readonly [long: string, short: string, number: string])[] = [
  ["hop-by-hop", "hop", "0"],
  ["ipv6-opts", "dst", "60"],
  ["ipv6-route", "route", "43"],
  ["ipv6-frag", "frag", "44"],
  ["ah", "auth", "51"],
  ["esp", "esp", "50"],
  ["ipv6-nonxt", "none", "59"],
  ["protocol", "prot", "255"],
];
const headers: Value<string> = single(`a list of ${HEADERS.map(([n]) => n).join(", ")}`, (text) => {
  const chosen = new Set<string>();
  for (const part of text.split(",")) {
    const known = HEADERS.find((names) => names.includes(part.toLowerCase()));
    if (known === undefined) return undefined;
    chosen.add(known[0]);
  }
  return HEADERS.filter(([n]) => chosen.has(n))
    .map(([n]) => n)
    .join(",");
});

export const ipv6header = otherMatch({
  name: "ipv6header",
  family: 6,
  fields: {
    header: option("--header", headers, { negatable: true, required: true }),
    soft: option("--soft", flag),
  },
});

const MH_TYPES: readonly (readonly string[])[] = [
  ["binding-refresh-request", "brr"],
  ["home-test-init", "hoti"],
  ["careof-test-init", "coti"],
  ["home-test", "hot"],
  ["careof-test", "cot"],
  ["binding-update", "bu"],
  ["binding-acknowledgement", "ba"],
  ["binding-error", "be"],
];
const mhType = (text: string): number | undefined => {
  const named = MH_TYPES.findIndex((names) => names.includes(text.toLowerCase()));
  return named >= 0 ? named : parseUnsigned(text, U8);
};

export const mh = otherMatch({
  name: "mh",
  family: 6,
  protocols: [135],
  fields: {
    type: option(
      "--mh-type",
      single<PortRange>(
        "a mobility header type or a range FROM:TO",
        (text) => parseRange(text, U8, mhType),
        formatRange,
      ),
      { negatable: true, everything: (range) => range.from === 0 && range.to === U8 },
    ),
  },
});

const addressList: Value<string> = single("at most 16 addresses, separated by commas", (text) => {
  const addresses = text.split(",").map((part) => parseIpv6(part));
  if (addresses.length > 16 || addresses.some((a) => a === undefined)) return undefined;
  return addresses.map((a) => formatAddress(a!)).join(",");
});

export const rt = otherMatch({
  name: "rt",
  family: 6,
  fields: {
    type: option("--rt-type", unsigned(U32), { negatable: true }),
    segmentsLeft: range32("--rt-segsleft"),
    length: length("--rt-len"),
    reserved: option("--rt-0-res", flag),
    addresses: option("--rt-0-addrs", addressList),
    notStrict: option("--rt-0-not-strict", flag),
  },
  check: (all) =>
    (all.reserved || all.addresses) && (all.type?.value !== 0 || all.type.negated)
      ? "--rt-0-… goes with --rt-type 0"
      : all.notStrict && !all.addresses
        ? "--rt-0-not-strict goes with --rt-0-addrs"
        : undefined,
});

const srhByte = (name: string) => option(name, unsigned(U8), { negatable: true });
const srhAddress = (name: string) => option<MaskedAddress>(name, network, { negatable: true });

export const srh = otherMatch({
  name: "srh",
  family: 6,
  fields: {
    nextHeader: srhByte("--srh-next-hdr"),
    lengthEq: srhByte("--srh-hdr-len-eq"),
    lengthGt: srhByte("--srh-hdr-len-gt"),
    lengthLt: srhByte("--srh-hdr-len-lt"),
    leftEq: srhByte("--srh-segs-left-eq"),
    leftGt: srhByte("--srh-segs-left-gt"),
    leftLt: srhByte("--srh-segs-left-lt"),
    lastEq: srhByte("--srh-last-entry-eq"),
    lastGt: srhByte("--srh-last-entry-gt"),
    lastLt: srhByte("--srh-last-entry-lt"),
    tag: option("--srh-tag", unsigned(U16), { negatable: true }),
    previous: srhAddress("--srh-psid"),
    next: srhAddress("--srh-nsid"),
    last: srhAddress("--srh-lsid"),
  },
});

/** The prefix of a translation is at most 64 bits long. */
const prefix64: Value<string> = single("PREFIX/LENGTH with a length of at most 64", (text) => {
  const [address = "", len = "128", more] = text.split("/");
  const parsed = parseIpv6(address);
  const n = parseUnsigned(len, 64);
  return parsed === undefined || n === undefined || more !== undefined ? undefined : `${formatAddress(parsed)}/${n}`;
});
const translation = (name: "DNPT" | "SNPT", hooks: readonly string[]) =>
  otherTarget({
    name,
    family: 6,
    tables: ["mangle"],
    hooks,
    fields: {
      from: option("--src-pfx", prefix64, { required: true }),
      to: option("--dst-pfx", prefix64, { required: true }),
    },
  });
export const DNPT = translation("DNPT", ["PREROUTING", "OUTPUT"]);
export const SNPT = translation("SNPT", ["INPUT", "POSTROUTING"]);
