import { type Neighbour, type Route, TABLE_MAIN } from "../../model/index.ts";
import { type Ipv4, ipv4Of, isUnspecified, lengthOfMask, parseIpv4, parseMac, ZERO_MAC } from "../../net/index.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { isEllipsis } from "../ellipsis.ts";
import { Complaints, isBlank, isPartial, logicalLines, originOf, wordsIn } from "../iproute2/lines.ts";
import { neighboursReading } from "../iproute2/neighbour.ts";
import type { Source } from "../source.ts";
import { routesOf } from "./route.ts";

/** The kernel prints the address as the machine's own integer; every machine in question is little-endian. */
function addressOfHex(text: string): Ipv4 | undefined {
  if (!/^[0-9A-Fa-f]{8}$/.test(text)) return undefined;
  const n = Number.parseInt(text, 16);
  return ipv4Of((((n & 0xff) << 24) | ((n & 0xff00) << 8) | ((n >>> 8) & 0xff00) | (n >>> 24)) >>> 0);
}

const RTF_GATEWAY = 2;
const RTF_REJECT = 0x200;

/** Follows fib_route_seq_show() (net/ipv4/fib_trie.c): the main table, without local, broadcast and multicast routes. */
export function readProcRoute(source: Source, context: DumpContext): Reading {
  const complaints = new Complaints(source, "proc-net-route");
  const routes: Route[] = [];
  let cut = isPartial(context);
  for (const line of logicalLines(source)) {
    if (isBlank(line.text) || /^Iface\s/.test(line.text)) continue;
    if (isEllipsis(line.text)) {
      cut = true;
      continue;
    }
    const words = wordsIn(line).map((w) => w.text);
    const destination = addressOfHex(words[1] ?? "");
    const gateway = addressOfHex(words[2] ?? "");
    const mask = addressOfHex(words[7] ?? "");
    const length = mask === undefined ? undefined : lengthOfMask(mask);
    const flags = Number.parseInt(words[3] ?? "", 16);
    const metric = Number(words[6]);
    if (destination === undefined || gateway === undefined || length === undefined || Number.isNaN(flags + metric)) {
      complaints.notUnderstood(line, "not a line of /proc/net/route");
      continue;
    }
    const device = words[0]!;
    const rejected = (flags & RTF_REJECT) !== 0;
    const type = rejected ? "unreachable" : device === "*" ? "blackhole" : "unicast";
    if (type !== "unicast") {
      const message = `read as ${type}; the kernel prints ${rejected ? "prohibit" : "throw"} the same way here`;
      complaints.at(line, 0, line.text.trim().length, "ambiguous-type", message, "note");
    }
    routes.push({
      type,
      family: 4,
      destination: { address: destination, length },
      table: TABLE_MAIN,
      ...(metric === 0 ? {} : { metric }),
      nexthops:
        type === "unicast"
          ? [
              {
                ...((flags & RTF_GATEWAY) !== 0 && !isUnspecified(gateway) ? { gateway } : {}),
                device,
                weight: 1,
                flags: [],
              },
            ]
          : [],
      extra: [],
      origin: originOf(source, line),
    });
  }
  return routesOf(routes, cut || complaints.lost, 4, complaints);
}

const ATF_COM = 2;
const ATF_PERM = 4;
const ATF_PUBL = 8;

/** Follows arp_seq_show() (net/ipv4/arp.c). */
export function readProcArp(source: Source, context: DumpContext): Reading {
  const complaints = new Complaints(source, "proc-net-arp");
  const neighbours: Neighbour[] = [];
  let cut = isPartial(context);
  for (const line of logicalLines(source)) {
    if (isBlank(line.text) || /^IP address\s/.test(line.text)) continue;
    if (isEllipsis(line.text)) {
      cut = true;
      continue;
    }
    const [ip = "", , flagsText = "", hardware = "", , device] = wordsIn(line).map((w) => w.text);
    const address = parseIpv4(ip);
    const flags = /^0x[0-9a-f]{1,4}$/.test(flagsText) ? Number(flagsText) : undefined;
    if (address === undefined || flags === undefined || device === undefined) {
      complaints.notUnderstood(line, "not a line of /proc/net/arp");
      continue;
    }
    const proxy = (flags & ATF_PUBL) !== 0;
    const mac = parseMac(hardware);
    const complete = (flags & ATF_COM) !== 0;
    neighbours.push({
      address,
      device,
      ...(complete && mac !== undefined && mac !== ZERO_MAC ? { mac } : {}),
      states: proxy ? [] : (flags & ATF_PERM) !== 0 ? ["PERMANENT"] : complete ? [] : ["INCOMPLETE"],
      router: false,
      proxy,
      origin: originOf(source, line),
    });
  }
  return neighboursReading(neighbours, cut || complaints.lost, false, complaints.list);
}
