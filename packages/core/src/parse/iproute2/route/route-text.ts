import { type Origin, type Route, TABLE_MAIN } from "../../../model/index.ts";
import { anyPrefix, type Family } from "../../../net/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import type { DumpContext, Reading } from "../../dialect.ts";
import { isEllipsis } from "../../ellipsis.ts";
import type { Source } from "../../source.ts";
import {
  Complaints,
  isBlank,
  isPartial,
  isToolMessage,
  type LogicalLine,
  logicalLines,
  type Mutable,
  originOf,
  wordsIn,
} from "../lines.ts";
import { WordCursor } from "../words.ts";
import { answerOf, type GetLine, takeCache } from "./route-get.ts";
import { type Filter, routeFacts, routeFilter } from "./route-listing.ts";
import {
  emptyHop,
  emptyRoute,
  familyOfRoute,
  hopsOf,
  type RouteDraft,
  takeDestination,
  takeHopWord,
  takeRouteWord,
  type WordOutcome,
} from "./route-words.ts";

/** A route without these is another route: where one cannot be read, nothing is taken from the line. */
const DECIDING: ReadonlySet<string> = new Set(["via", "dev", "table", "tos", "from", "metric", "nhid", "weight"]);

function complain(
  complaints: Complaints,
  line: LogicalLine,
  cursor: WordCursor,
  key: string,
  column: number,
  outcome: WordOutcome,
  route: RouteDraft,
): void {
  if (outcome === "bad-value") {
    const value = cursor.words[cursor.position - 1]?.text;
    const decides = DECIDING.has(key);
    if (decides) route.damaged = true;
    const severity = decides ? "error" : "warning";
    complaints.at(line, cursor.column, cursor.length, "bad-value", `not a value for "${key}"`, severity);
    route.extra.push(value === undefined || value === key ? key : `${key} ${value}`);
    return;
  }
  complaints.at(line, column, key.length, "unknown-word", `"${key}" is not known in a route`, "warning");
  route.extra.push(key);
}

function takeNexthop(line: LogicalLine, cursor: WordCursor, route: RouteDraft, complaints: Complaints): void {
  const hop = emptyHop();
  route.nexthops.push(hop);
  while (!cursor.done && cursor.peek() !== "nexthop") {
    const key = cursor.take()!;
    const column = cursor.column;
    if (key === "realm" || key === "realms") {
      route.extra.push(`nexthop ${route.nexthops.length} ${key} ${cursor.take() ?? ""}`);
      continue;
    }
    const outcome = takeHopWord(key, cursor, hop, route);
    if (outcome !== "ok") complain(complaints, line, cursor, key, column, outcome, route);
  }
}

function takeWords(line: LogicalLine, cursor: WordCursor, route: RouteDraft, complaints: Complaints): void {
  while (!cursor.done) {
    const key = cursor.take()!;
    const column = cursor.column;
    if (key === "nexthop") takeNexthop(line, cursor, route, complaints);
    else {
      const outcome = takeRouteWord(key, cursor, route);
      if (outcome !== "ok") complain(complaints, line, cursor, key, column, outcome, route);
    }
  }
}

export interface RouteEntry {
  readonly draft: RouteDraft;
  readonly line: LogicalLine;
  readonly get: GetLine;
}

/** Optional fields that pass from the draft as they are. */
const OPTIONAL = ["from", "tos", "metric", "protocol", "scope", "prefSrc", "nexthopId", "mtu", "advmss"] as const;

/** Built field by field: a table of a big node has tens of thousands of these. */
function finish(draft: RouteDraft, family: Family, filter: Filter, origin: Origin): Route {
  const { extra } = draft;
  if (draft.nexthops.length > 0 && draft.hop.flags.length > 0) extra.unshift(...draft.hop.flags);
  if (draft.mark !== undefined) extra.push(`mark ${draft.mark}`);
  if (draft.uid !== undefined) extra.push(`uid ${draft.uid}`);
  if (draft.iif !== undefined) extra.push(`iif ${draft.iif}`);
  const route: Mutable<Route> = {
    type: draft.type,
    family,
    destination: draft.isDefault || draft.destination === undefined ? anyPrefix(family) : draft.destination,
    table: draft.table ?? filter.table ?? TABLE_MAIN,
    nexthops: hopsOf(draft),
    extra,
    origin,
  };
  for (const key of OPTIONAL) if (draft[key] !== undefined) Object.assign(route, { [key]: draft[key] });
  if (draft.locked.length > 0) route.locked = draft.locked;
  return route;
}

/** What the command selected is left out of the lines: `ip route show dev eth0` prints no `dev eth0`. */
function complete(draft: RouteDraft, filter: Filter): void {
  if (filter.device !== undefined && draft.hop.device === undefined && draft.nexthops.length === 0)
    draft.hop.device = filter.device;
  if (filter.gateway !== undefined && draft.hop.gateway === undefined && draft.nexthops.length === 0)
    draft.hop.gateway = filter.gateway;
  if (filter.protocol !== undefined && filter.protocol !== "boot") draft.protocol ??= filter.protocol;
  if (filter.scope !== undefined && filter.scope !== "global") draft.scope ??= filter.scope;
  if (filter.source !== undefined) draft.prefSrc ??= filter.source;
}

/** Reads `ip route` in all its forms, and the answers of `ip route get` among its lines. */
export function readRoutes(source: Source, context: DumpContext): Reading {
  const complaints = new Complaints(source, "ip-route");
  const entries: RouteEntry[] = [];
  const errors: { text: string; line: LogicalLine }[] = [];
  let cut = isPartial(context);
  for (const line of logicalLines(source)) {
    if (isBlank(line.text)) continue;
    if (isEllipsis(line.text)) {
      cut = true;
      continue;
    }
    if (isToolMessage(line.text)) {
      errors.push({ text: line.text.trim(), line });
      continue;
    }
    const cursor = new WordCursor(wordsIn(line));
    const last = entries[entries.length - 1];
    if (cursor.peek() === "nexthop" || cursor.peek() === "nh_info") {
      if (last === undefined) complaints.notUnderstood(line, "a nexthop without its route");
      else if (cursor.peek() === "nexthop") takeWords(line, cursor, last.draft, complaints);
      continue;
    }
    if (cursor.peek() === "cache") {
      if (last === undefined) complaints.notUnderstood(line, "a cache line without its route");
      else takeCache(cursor, last.get);
      continue;
    }
    const entry = takeRoute(line, cursor, complaints);
    if (entry === undefined) complaints.notUnderstood(line, "not a line of `ip route`");
    else entries.push(entry);
  }
  return routesReading(source, context, entries, errors, cut || complaints.lost, complaints.list);
}

/** Reads a route from its first word on; undefined if that is no destination. */
export function takeRoute(line: LogicalLine, cursor: WordCursor, complaints: Complaints): RouteEntry | undefined {
  const draft = emptyRoute();
  if (!takeDestination(cursor, draft)) return undefined;
  takeWords(line, cursor, draft, complaints);
  return { draft, line, get: { cached: false, cacheFlags: [], extra: [] } };
}

/** Facts of the routes read, from text or JSON. */
export function routesReading(
  source: Source,
  context: DumpContext,
  all: readonly RouteEntry[],
  errors: readonly { readonly text: string; readonly line: LogicalLine }[],
  cut: boolean,
  diagnostics: readonly Diagnostic[],
): Reading {
  const filter = routeFilter(context);
  const entries = all.filter((e) => !e.draft.damaged);
  const isAnswer = (e: RouteEntry): boolean => e.get.cached || e.draft.uid !== undefined || filter.get !== undefined;
  const answers = entries.filter(isAnswer).map((e) => answerOf(e.draft, e.get, originOf(source, e.line)));
  const failed = filter.get === undefined || filter.fibMatch ? [] : errors;
  for (const error of failed) {
    const phrase = filter.get;
    if (phrase === undefined) continue;
    answers.push({ destination: phrase, type: "unreachable", error: error.text, origin: originOf(source, error.line) });
  }
  const listed = entries.filter((e) => !isAnswer(e));
  const familyHere = (e: RouteEntry): Family => familyOfRoute(e.draft) ?? filter.family ?? majority;
  const counted = listed.map((e) => familyOfRoute(e.draft)).filter((f) => f !== undefined);
  const majority: Family = counted.filter((f) => f === 6).length * 2 > counted.length ? 6 : 4;
  const routes = listed.map((e) => {
    complete(e.draft, filter);
    return finish(e.draft, familyHere(e), filter, originOf(source, e.line));
  });
  const noRoutes = answers.length > 0 || filter.get !== undefined;
  return {
    facts: [
      ...(routes.length === 0 && (noRoutes || context.command === undefined)
        ? []
        : routeFacts(
            routes,
            filter,
            cut || entries.length < all.length,
            listed.some((e) => e.draft.table !== undefined),
          )),
      ...(answers.length > 0 ? [{ kind: "route-gets" as const, answers }] : []),
    ],
    diagnostics,
    counts: {
      ...(noRoutes && routes.length === 0 ? {} : { routes: routes.length }),
      ...(answers.length > 0 ? { answers: answers.length } : {}),
    },
  };
}
