import type { Dialect } from "../dialect.ts";
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
import { claimCommand, readCommands } from "./command-text.ts";
import { readDevices } from "./device-text.ts";
import { invocationOf, isShow } from "./invocation.ts";
import { readIpJson } from "./json-dialect.ts";
import { readNeighbours } from "./neighbour.ts";
import { readNexthops } from "./nexthop.ts";
import { readRoutes } from "./route-text.ts";
import { readRules } from "./rule-text.ts";

const shows =
  (object: string) =>
  (words: readonly string[]): boolean => {
    const ip = invocationOf(words);
    return ip !== undefined && ip.tool === "ip" && ip.object === object && !ip.json && isShow(ip.rest);
  };

const isGet = (verb: string | undefined): boolean => verb === "get" || verb === "ge" || verb === "g";

/** Forms of ip(8). */
export const dialects: readonly Dialect[] = [
  { id: "ip-rule", title: "ip rule", printedBy: shows("rule"), claim: claimRule, read: readRules },
  { id: "ip-route", title: "ip route", printedBy: shows("route"), claim: claimRoute, read: readRoutes },
  {
    id: "ip-route-get",
    title: "ip route get",
    printedBy: (words) => {
      const ip = invocationOf(words);
      return ip?.tool === "ip" && ip.object === "route" && !ip.json && isGet(ip.rest[0]);
    },
    claim: claimRouteGet,
    read: readRoutes,
  },
  { id: "ip-addr", title: "ip addr", printedBy: shows("address"), claim: claimAddr, read: readDevices("ip-addr") },
  { id: "ip-link", title: "ip link", printedBy: shows("link"), claim: claimLink, read: readDevices("ip-link") },
  { id: "ip-neigh", title: "ip neigh", printedBy: shows("neighbor"), claim: claimNeighbour, read: readNeighbours },
  { id: "ip-nexthop", title: "ip nexthop", printedBy: shows("nexthop"), claim: claimNexthop, read: readNexthops },
  {
    id: "ip-json",
    title: "ip -json",
    printedBy: (words) => {
      const ip = invocationOf(words);
      return ip?.tool === "ip" && ip.json && (isShow(ip.rest) || isGet(ip.rest[0]));
    },
    claim: claimJson,
    read: readIpJson,
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
