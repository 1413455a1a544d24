import { isNativeNft, type NftBase, type Packet, type Stack, type World } from "../model/index.ts";
import { nameWord } from "../model/shell.ts";
import { type Address, type Family, familyOf, formatAddress, hasPorts, protocolName } from "../net/index.ts";
import { command, isMadeUp } from "./commands.ts";
import type { Command } from "./fix.ts";

/** By which a rule of ours is found again: nft deletes by handles only, which nobody knows before it is there. */
export const COMMENT: readonly string[] = ["comment", '"hairpin"'];

const TABLE = "hairpin";

/** A node on which a fix has to be nft's. */
export const isNative = ({ netfilter }: Stack, family: Family): boolean => isNativeNft(netfilter, family);

const ipOf = (family: Family): "ip" | "ip6" => (family === 4 ? "ip" : "ip6");

/** A rule in a table of our own, which is made first; undone by deleting that. */
export function ownRule(
  stack: Stack,
  family: Family,
  { type, hook, priority }: Pick<NftBase, "type" | "hook" | "priority">,
  words: readonly string[],
): readonly Command[] {
  const table = [ipOf(family), TABLE];
  return [
    command(stack.name, ["nft", "add", "table", ...table]),
    command(stack.name, [
      ...["nft", "add", "chain", ...table, hook],
      `{ type ${type} hook ${hook} priority ${priority} ; }`,
    ]),
    command(stack.name, ["nft", "add", "rule", ...table, hook, ...words, ...COMMENT]),
  ];
}

export const nftHost = (field: "saddr" | "daddr", address: Address): readonly string[] => [
  ipOf(familyOf(address)),
  field,
  formatAddress(address),
];

/** `ip saddr A ip daddr B tcp dport P`: what an nft rule has to say to mean this packet's flow. */
export function nftFlowWords(world: World, packet: Packet, way: "request" | "reply"): readonly string[] {
  const end = (field: "saddr" | "daddr", address: Address): readonly string[] =>
    isMadeUp(world, address) ? [] : nftHost(field, address);
  const port = way === "request" ? packet.dport : packet.sport;
  const protocol = protocolName(packet.protocol);
  const ports =
    hasPorts(packet.protocol) && typeof port === "number"
      ? [protocol, way === "request" ? "dport" : "sport", String(port)]
      : ["meta", "l4proto", protocol];
  return [...end("saddr", packet.src), ...end("daddr", packet.dst), ...ports];
}

/** `ct original ip daddr V ct original proto-dst P`: what was called at first, whatever it was translated to. */
export function nftCalledWords(address: Address, port: number, protocol: number): readonly string[] {
  const ports = hasPorts(protocol) && port !== 0 ? ["ct", "original", "proto-dst", String(port)] : [];
  const called = ["ct", "original", ipOf(familyOf(address)), "daddr", formatAddress(address)];
  return ["meta", "l4proto", protocolName(protocol), ...called, ...ports];
}

export const nftOutOf = (device: string): readonly string[] => ["oifname", `"${nameWord(device)}"`];
