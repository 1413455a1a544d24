import type { Dialect, DumpContext, Reading } from "../dialect.ts";
import type { Source } from "../source.ts";
import {
  claimAddr,
  claimJson,
  claimLink,
  claimNeighbour,
  claimNexthop,
  claimRoute,
  claimRouteGet,
  claimRule,
} from "./claim.ts";
import { claimCommand, readCommands } from "./command/command-text.ts";
import { readDevices } from "./device/device-text.ts";
import { invocationOf, isShow } from "./invocation.ts";
import { looksLikeJson } from "./json.ts";
import { readIpJson } from "./json-dialect.ts";
import { readNeighbours } from "./neighbour.ts";
import { readNexthops } from "./route/nexthop.ts";
import { readRoutes } from "./route/route-text.ts";
import { readRules } from "./rule/rule-text.ts";

const shows =
  (object: string) =>
  (words: readonly string[]): boolean => {
    const ip = invocationOf(words);
    return ip !== undefined && ip.tool === "ip" && ip.object === object && !ip.json && isShow(ip.rest);
  };

const isGet = (verb: string | undefined): boolean => verb === "get" || verb === "ge" || verb === "g";

const gets =
  (object: string) =>
  (words: readonly string[]): boolean => {
    const ip = invocationOf(words);
    return ip?.tool === "ip" && ip.object === object && !ip.json && isGet(ip.rest[0]);
  };

/** Some versions print text where JSON was asked for (`ip -j neigh get`): the text is what counts. */
function readJsonOrText(source: Source, context: DumpContext): Reading {
  if (looksLikeJson(source)) return readIpJson(source, context);
  switch (invocationOf(context.command ?? [])?.object) {
    case "rule":
      return readRules(source, context);
    case "route":
      return readRoutes(source, context);
    case "address":
      return readDevices("ip-addr")(source, context);
    case "link":
      return readDevices("ip-link")(source, context);
    case "neighbor":
      return readNeighbours(source, context);
    case "nexthop":
      return readNexthops(source, context);
    default:
      return readIpJson(source, context);
  }
}

/** And JSON may stand where a file's name or an alias let one expect text. */
const orJson =
  (read: Dialect["read"]): Dialect["read"] =>
  (source, context) =>
    looksLikeJson(source) ? readIpJson(source, context) : read(source, context);

/** Forms of ip(8). */
export const dialects: readonly Dialect[] = [
  {
    id: "ip-rule",
    title: "ip rule",
    printedBy: shows("rule"),
    claim: claimRule,
    unbroken: true,
    read: orJson(readRules),
  },
  {
    id: "ip-route",
    title: "ip route",
    printedBy: shows("route"),
    claim: claimRoute,
    unbroken: true,
    read: orJson(readRoutes),
  },
  {
    id: "ip-route-get",
    title: "ip route get",
    printedBy: gets("route"),
    claim: claimRouteGet,
    read: orJson(readRoutes),
  },
  {
    id: "ip-addr",
    title: "ip addr",
    printedBy: shows("address"),
    claim: claimAddr,
    unbroken: true,
    read: orJson(readDevices("ip-addr")),
  },
  {
    id: "ip-link",
    title: "ip link",
    printedBy: shows("link"),
    claim: claimLink,
    unbroken: true,
    read: orJson(readDevices("ip-link")),
  },
  {
    id: "ip-neigh",
    title: "ip neigh",
    printedBy: (words) => shows("neighbor")(words) || gets("neighbor")(words),
    claim: claimNeighbour,
    read: orJson(readNeighbours),
  },
  {
    id: "ip-nexthop",
    title: "ip nexthop",
    printedBy: shows("nexthop"),
    claim: claimNexthop,
    read: orJson(readNexthops),
  },
  {
    id: "ip-json",
    title: "ip -json",
    printedBy: (words) => {
      const ip = invocationOf(words);
      return ip?.tool === "ip" && ip.json && (isShow(ip.rest) || isGet(ip.rest[0]));
    },
    claim: claimJson,
    read: readJsonOrText,
  },
  {
    id: "ip-commands",
    title: "ip, bridge and brctl commands as typed",
    // They print nothing: only their own text shows them.
    printedBy: () => false,
    claim: claimCommand,
    read: readCommands,
  },
];

export * from "./apply/apply.ts";
export type * from "./command/command.ts";
export { readIpCommand } from "./command/command-read.ts";
export * from "./command/to-commands.ts";
export { printAddress, printAddresses } from "./device/address-print.ts";
export { linkCommand, linkSettings, linksToCommands } from "./device/link-commands.ts";
export { printNeighbour } from "./neighbour.ts";
export { printNexthopObject } from "./route/nexthop.ts";
export { printRoute } from "./route/route-print.ts";
export { printRule } from "./rule/rule-print.ts";
