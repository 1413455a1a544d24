import { type Extent, type Nexthop, type Route, type RouteType, TABLE_LOCAL, TABLE_MAIN } from "../../model/index.ts";
import {
  type Address,
  ANY4,
  type Family,
  isIpv4,
  lengthOfMask,
  networkOf,
  parseAddress,
  parsePrefix,
} from "../../net/index.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { isEllipsis } from "../ellipsis.ts";
import {
  Complaints,
  isBlank,
  isPartial,
  type LogicalLine,
  logicalLines,
  originOf,
  wordsIn,
} from "../iproute2/lines.ts";
import { numberOf, type Word } from "../iproute2/words.ts";
import type { Source } from "../source.ts";

/** What the columns after the flags are. */
type Columns = "route" | "netstat" | "inet6";

const isNone = (text: string): boolean =>
  text === "*" || text === "-" || text === "0.0.0.0" || text === "::" || text === "[::]";

/** Of a rejecting or device-less route the tool does not say which of two types it is. */
function typeOf(flags: string, device: string): RouteType {
  if (flags.includes("!")) return "unreachable";
  return device === "*" || device === "-" ? "blackhole" : "unicast";
}

function hopOf(gateway: Address | undefined, device: string): Nexthop[] {
  if (device === "*" || device === "-") return [];
  return [{ ...(gateway === undefined ? {} : { gateway }), device, weight: 1, flags: [] }];
}

class RouteReader {
  readonly routes: Route[] = [];
  family: Family = 4;
  columns: Columns = "route";
  readonly #source: Source;
  readonly #complaints: Complaints;
  constructor(source: Source, complaints: Complaints) {
    this.#source = source;
    this.#complaints = complaints;
  }

  /** The title and the column line; false if it is neither. */
  heading(text: string): boolean {
    const title = /^Kernel (IP|IPv6) routing (table|cache)/.exec(text);
    if (title !== null) {
      this.family = title[1] === "IP" ? 4 : 6;
      this.columns = this.family === 6 ? "inet6" : "route";
      return true;
    }
    if (!/^Destination\s/.test(text)) return false;
    this.columns = text.includes("Next Hop")
      ? "inet6"
      : text.includes("irtt") && text.includes("MSS") && !text.includes("Metric")
        ? "netstat"
        : "route";
    if (this.columns === "inet6") this.family = 6;
    return true;
  }

  #badName(line: LogicalLine, word: Word): void {
    this.#complaints.at(
      line,
      word.column,
      word.text.length,
      "name",
      `"${word.text}" is a name: only numeric output (-n) says which address it is`,
    );
  }

  row(line: LogicalLine): boolean {
    const words = wordsIn(line);
    return this.columns === "inet6" ? this.#row6(line, words) : this.#row4(line, words);
  }

  #row4(line: LogicalLine, words: readonly Word[]): boolean {
    const [destination, gatewayWord, maskWord, flagsWord] = words;
    const device = words[7];
    if (words.length < 8 || destination === undefined || gatewayWord === undefined || maskWord === undefined)
      return false;
    const flags = flagsWord?.text ?? "";
    const mask = parseAddress(maskWord.text);
    const length = mask === undefined || !isIpv4(mask) ? undefined : lengthOfMask(mask);
    if (length === undefined || device === undefined || !/^[!UHGRDMACB]{1,10}$/.test(flags)) return false;
    const address = destination.text === "default" ? ANY4 : parseAddress(destination.text);
    if (address === undefined) {
      this.#badName(line, destination);
      return true;
    }
    const gateway = isNone(gatewayWord.text) ? undefined : parseAddress(gatewayWord.text);
    if (gateway === undefined && !isNone(gatewayWord.text)) {
      this.#badName(line, gatewayWord);
      return true;
    }
    const metric = this.columns === "route" ? numberOf(words[4]?.text) : undefined;
    const type = typeOf(flags, device.text);
    if (type !== "unicast") this.#ambiguous(line, type);
    this.#push(line, {
      type,
      destination: { address, length },
      nexthops: type === "unreachable" ? [] : hopOf(gateway, device.text),
      ...(metric === undefined || metric === 0 ? {} : { metric }),
    });
    return true;
  }

  #ambiguous(line: LogicalLine, type: RouteType): void {
    const other = type === "unreachable" ? "prohibit" : "throw";
    const message = `read as ${type}; this form prints ${other} the same way`;
    this.#complaints.at(line, line.column, line.text.trim().length, "ambiguous-type", message, "note");
  }

  /** All tables of IPv6 in one list; the types show in prefix and flags only. */
  #row6(line: LogicalLine, words: readonly Word[]): boolean {
    const [destination, next, flagsWord, metricWord] = words;
    const device = words[words.length - 1];
    const flags = flagsWord?.text ?? "";
    if (words.length < 7 || destination === undefined || next === undefined || device === undefined) return false;
    if (!/^[!UHGRDMACBan]{1,10}$/.test(flags)) return false;
    const prefix = destination.text === "[::]/0" ? parsePrefix("::/0") : parsePrefix(destination.text);
    if (prefix === undefined) {
      this.#badName(line, destination);
      return true;
    }
    const gateway = isNone(next.text) ? undefined : parseAddress(next.text);
    const metric = metricWord?.text === "-1" ? 0xffffffff : numberOf(metricWord?.text);
    const multicast = destination.text.startsWith("ff");
    const local = !multicast && flags.includes("n") && !flags.includes("!") && prefix.length === 128;
    const type: RouteType = flags.includes("!") ? "unreachable" : multicast ? "multicast" : local ? "local" : "unicast";
    this.#push(
      line,
      { type, destination: prefix, nexthops: hopOf(gateway, device.text), ...(metric === undefined ? {} : { metric }) },
      local || multicast ? TABLE_LOCAL : TABLE_MAIN,
    );
    return true;
  }

  #push(
    line: LogicalLine,
    route: Pick<Route, "type" | "destination" | "nexthops" | "metric">,
    table = TABLE_MAIN,
  ): void {
    this.routes.push({
      ...route,
      destination: networkOf(route.destination),
      family: this.family,
      table,
      extra: [],
      origin: originOf(this.#source, line),
    });
  }
}

/** Reads `route -n`, `route -6n`, `netstat -rn`. They show neither source, scope nor protocol, and one nexthop only. */
export function readRouteN(source: Source, context: DumpContext): Reading {
  const complaints = new Complaints(source, "route-n");
  const reader = new RouteReader(source, complaints);
  if (context.family?.value === 6) {
    reader.family = 6;
    reader.columns = "inet6";
  } else if ((context.command?.[0] ?? "").endsWith("netstat")) reader.columns = "netstat";
  let cut = isPartial(context);
  for (const line of logicalLines(source)) {
    if (isBlank(line.text) || reader.heading(line.text)) continue;
    if (isEllipsis(line.text)) cut = true;
    else if (!reader.row(line)) complaints.notUnderstood(line, "not a line of `route` or `netstat -r`");
  }
  return routesOf(reader.routes, cut || complaints.lost, reader.family, complaints);
}

export function routesOf(routes: readonly Route[], cut: boolean, family: Family, complaints: Complaints): Reading {
  const extent: Extent = cut || family === 6 ? "partial" : "whole";
  const families = ([4, 6] as const).filter((f) => routes.some((r) => r.family === f));
  return {
    facts: families.map((f) => {
      const own = routes.filter((r) => r.family === f);
      return { kind: "routes" as const, family: f, routes: own, tables: [...new Set(own.map((r) => r.table))], extent };
    }),
    diagnostics: complaints.list,
    counts: { routes: routes.length },
  };
}
