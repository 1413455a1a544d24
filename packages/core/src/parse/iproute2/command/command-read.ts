import type { Origin } from "../../../model/index.ts";
import { invocationOf } from "../invocation.ts";
import type { IpCommand } from "./command.ts";
import { readAddressCommand } from "./command-address.ts";
import { refuse, type Typed } from "./command-cursor.ts";
import { readLinkCommand, readPortCommand } from "./command-link.ts";
import { readNeighbourCommand } from "./command-neighbour.ts";
import { readRouteCommand } from "./command-route.ts";
import { readRuleCommand } from "./command-rule.ts";

/** Reads a command of ip(8), bridge(8) or brctl(8) as typed, words split as a shell would. Never throws. */
export function readIpCommand(words: readonly string[], origin: Origin): IpCommand {
  if (/(^|\/)brctl$/.test(words[0] ?? "")) return readPortCommand({ words, first: 1, origin });
  const ip = invocationOf(words);
  if (ip === undefined) return { kind: "unknown", words, reason: "not a command of ip or bridge", origin };
  const typed: Typed = { words, first: words.length - ip.rest.length, origin };
  if (ip.tool === "bridge")
    return ip.object === "link" ? readPortCommand(typed) : refuse(typed, `"bridge ${ip.object}" is not modelled`);
  switch (ip.object) {
    case "route":
      return readRouteCommand(typed, ip.family);
    case "rule":
      return readRuleCommand(typed, ip.family);
    case "address":
      return readAddressCommand(typed, ip.family);
    case "link":
      return readLinkCommand(typed);
    case "neighbor":
      return readNeighbourCommand(typed);
    default:
      return refuse(typed, `"ip ${ip.object}" is not modelled`);
  }
}
