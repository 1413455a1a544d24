import type { AddressScope } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { numberOf } from "./words.ts";

/** The files iproute2 ships in /etc/iproute2; a node may have added names of its own, which are then kept as printed. */
const PROTOCOLS: Readonly<Record<number, string>> = {
  0: "unspec",
  1: "redirect",
  2: "kernel",
  3: "boot",
  4: "static",
  8: "gated",
  9: "ra",
  10: "mrt",
  11: "zebra",
  12: "bird",
  13: "dnrouted",
  14: "xorp",
  15: "ntk",
  16: "dhcp",
  18: "keepalived",
  42: "babel",
  99: "openr",
  186: "bgp",
  187: "isis",
  188: "ospf",
  189: "rip",
  192: "eigrp",
};

/** `ip -N` prints the number: the same protocol gets the same name in every form. */
export const protocolName = (text: string): string =>
  /^\d{1,3}$/.test(text) ? (PROTOCOLS[Number(text)] ?? text) : text;

const TABLES: Readonly<Record<string, number>> = lookup({ unspec: 0, default: 253, main: 254, local: 255 });
const TABLE_NAMES: Readonly<Record<number, string>> = { 253: "default", 254: "main", 255: "local" };

/** A table by number; a name of the node's own rt_tables stays a name. */
export const tableOf = (text: string): number | string => numberOf(text) ?? TABLES[text] ?? text;
export const tableName = (table: number | string): string =>
  typeof table === "string" ? table : (TABLE_NAMES[table] ?? String(table));

const SCOPES: Readonly<Record<string, AddressScope>> = lookup({
  global: "global",
  nowhere: "nowhere",
  host: "host",
  link: "link",
  site: "site",
  // The names of old versions of ip(8) and of rtnetlink.
  universe: "global",
  "0": "global",
  "200": "site",
  "253": "link",
  "254": "host",
  "255": "nowhere",
});

export const scopeOf = (text: string): AddressScope | undefined =>
  SCOPES[text] ?? (/^\d{1,3}$/.test(text) && Number(text) < 256 ? Number(text) : undefined);

const DSFIELDS: Readonly<Record<string, number>> = lookup({
  default: 0,
  AF11: 0x28,
  AF12: 0x30,
  AF13: 0x38,
  AF21: 0x48,
  AF22: 0x50,
  AF23: 0x58,
  AF31: 0x68,
  AF32: 0x70,
  AF33: 0x78,
  AF41: 0x88,
  AF42: 0x90,
  AF43: 0x98,
  CS1: 0x20,
  CS2: 0x40,
  CS3: 0x60,
  CS4: 0x80,
  CS5: 0xa0,
  CS6: 0xc0,
  CS7: 0xe0,
  EF: 0xb8,
  // rt_dsfield of iproute2 before 3.18.
  lowdelay: 0x10,
  throughput: 0x08,
  reliability: 0x04,
});
const OLD_NAMES: ReadonlySet<string> = new Set(["lowdelay", "throughput", "reliability"]);
const DSFIELD_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(DSFIELDS)
    .filter(([name]) => !OLD_NAMES.has(name))
    .map(([name, value]) => [value, name]),
);

/** Bare numbers are hexadecimal, with or without 0x: rtnl_dsfield_a2n() reads base 16. */
export function dsfieldOf(text: string): number | undefined {
  const named = DSFIELDS[text];
  if (named !== undefined) return named;
  return /^(0x)?[0-9a-fA-F]{1,2}$/.test(text) ? Number.parseInt(text.replace(/^0x/, ""), 16) : undefined;
}

export const dsfieldName = (value: number): string =>
  DSFIELD_NAMES.get(value) ?? `0x${value.toString(16).padStart(2, "0")}`;

/** DSCP is the upper six bits of that field; numbers are decimal or 0x. */
export function dscpOf(text: string): number | undefined {
  const named = DSFIELDS[text];
  if (named !== undefined) return named >> 2;
  const value = numberOf(text);
  return value !== undefined && value < 64 ? value : undefined;
}

export const dscpName = (value: number): string => DSFIELD_NAMES.get(value << 2) ?? String(value);
