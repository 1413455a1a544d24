import { type IptablesTableName, type Packet, ruleCount, type Stack, type World } from "../model/index.ts";
import { nameWord, shellLine } from "../model/shell.ts";
import {
  type Address,
  type Family,
  formatAddress,
  formatPrefix,
  hasPorts,
  hostPrefix,
  protocolName,
} from "../net/index.ts";
import type { Command } from "./fix.ts";

/** Throws `Unspeakable` at once where no line can say it. */
export function command(stack: string, words: readonly string[]): Command {
  const made: Command = { stack, words };
  lineOf(made);
  return made;
}

/** The command as a line, quoted. */
export const lineOf = ({ words, typed }: Command): string => typed ?? shellLine(words);

/** Dots of a device's name are written as slashes, as sysctl(8) takes them. */
export const sysctl = (stack: string, key: string, value: number): Command =>
  command(stack, ["sysctl", "-w", `${key}=${value}`]);

export const confKeyOf = (device: string, name: string): string =>
  `net.ipv4.conf.${nameWord(device).replaceAll(".", "/")}.${name}`;

/** `iptables`, or the back end's own where the stack has tables of both. */
function toolOf(stack: Stack | undefined, table: IptablesTableName, family: Family): string {
  const tool = family === 6 ? "ip6tables" : "iptables";
  const tables = stack?.netfilter.tables.filter((t) => t.family === family) ?? [];
  const backends = new Set(tables.map((t) => t.backend));
  if (!backends.has("legacy") || !backends.has("nft")) return tool;
  const rules = (backend: string): number =>
    tables
      .filter((t) => t.name === table && t.backend === backend)
      .reduce((n, t) => n + t.chains.reduce((m, c) => m + ruleCount(c), 0), 0);
  return rules("legacy") > rules("nft") ? `${tool}-legacy` : `${tool}-nft`;
}

export function iptables(stack: Stack, family: Family, table: IptablesTableName, ...words: readonly string[]): Command {
  const where = table === "filter" ? [] : ["-t", table];
  return command(stack.name, [toolOf(stack, table, family), ...where, ...words]);
}

/** As rules and routes name one host. */
export const host = (address: Address): string => formatPrefix(hostPrefix(address));

/** An address that stands for one nobody showed: no rule may name it. */
export const isMadeUp = (world: World, address: Address): boolean =>
  world.stacks.some(
    (s) =>
      s.rulesOnly === true &&
      s.devices.items.some((d) => d.addresses.some((a) => a.origin.kind === "assumed" && a.prefix.address === address)),
  );

/** `-s A -d B -p tcp --dport P`: what a rule has to say to mean this packet's flow, on its way there or back. */
export function flowWords(world: World, packet: Packet, way: "request" | "reply"): readonly string[] {
  const port = way === "request" ? packet.dport : packet.sport;
  const option = way === "request" ? "--dport" : "--sport";
  const ports = hasPorts(packet.protocol) && typeof port === "number" ? [option, String(port)] : [];
  const end = (name: string, address: Address): readonly string[] =>
    isMadeUp(world, address) ? [] : [name, host(address)];
  return [...end("-s", packet.src), ...end("-d", packet.dst), "-p", protocolName(packet.protocol), ...ports];
}

/** `-m conntrack --ctorigdst V --ctorigdstport P`: what was called at first, whatever it was translated to. */
export function calledWords(address: Address, port: number, protocol: number): readonly string[] {
  const ports = hasPorts(protocol) && port !== 0 ? ["--ctorigdstport", String(port)] : [];
  const proto = protocolName(protocol);
  return ["-p", proto, "-m", "conntrack", "--ctorigdst", formatAddress(address), ...ports];
}

/** `-s A -o DEV`, with the name of a device as one word whatever is in it. */
export const outOf = (device: string): readonly string[] => ["-o", nameWord(device)];
