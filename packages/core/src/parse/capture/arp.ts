import type { ObservedArp, ObservedHost } from "../../model/index.ts";
import { ANY4, parseAddress, parseMac } from "../../net/index.ts";
import type { Cursor } from "./cursor.ts";

const PREFIX = /(?:[^,\n]{1,60} \(len \d{1,3}\), ){1,2}/y;
const REQUEST =
  /(?:Request |request )?who-has (\S{1,80})(?: \([^)\n]{1,120}\))?(?: \(oui [^)\n]{0,40}\))? tell ([^\s,]{1,80})/y;
const REPLY = /(?:Reply |reply )(\S{1,80}) is-at (\S{17})/y;
const ANNOUNCE = /(Announcement|Probe) ([^\s,]{1,80})/y;

const host = (text: string): ObservedHost => parseAddress(text) ?? { name: text };

/** After `ARP, `: `Request who-has A tell B`, `Reply A is-at MAC`, with or without `Ethernet (len 6), IPv4 (len 4), `. */
export function readArp(cursor: Cursor): ObservedArp | undefined {
  cursor.take(PREFIX);
  const request = cursor.take(REQUEST);
  if (request !== undefined) {
    return { operation: "request", target: host(request[1]!), sender: host(request[2]!) };
  }
  const reply = cursor.take(REPLY);
  if (reply !== undefined) {
    const mac = parseMac(reply[2]!.replace(/,$/, ""));
    const sender = host(reply[1]!);
    return { operation: "reply", sender, target: sender, ...(mac === undefined ? {} : { mac }) };
  }
  const announced = cursor.take(ANNOUNCE);
  if (announced === undefined) return undefined;
  const target = host(announced[2]!);
  return { operation: "request", target, sender: announced[1] === "Probe" ? ANY4 : target };
}
