import type { Origin, RouteGet } from "../../../model/index.ts";
import { append } from "../../../net/append.ts";
import { anyPrefix, familyOf, isUnspecified } from "../../../net/index.ts";
import { numberOf, type WordCursor } from "../words.ts";
import { hopsOf, type RouteDraft } from "./route-words.ts";

/** What the line `    cache …` after an answer says. */
export interface GetLine {
  cached: boolean;
  cacheFlags: string[];
  extra: string[];
  mtu?: number;
  iif?: string;
}

/** `cache <local,brd> expires 598sec mtu 1400 iif eth0`. */
export function takeCache(cursor: WordCursor, get: GetLine): void {
  cursor.take();
  get.cached = true;
  while (!cursor.done) {
    const word = cursor.take()!;
    if (word.startsWith("<")) {
      const inner = word.endsWith(">") ? word.slice(1, -1) : word.slice(1);
      append(
        get.cacheFlags,
        inner.split(",").filter((f) => f !== ""),
      );
      continue;
    }
    const value = cursor.take();
    if (word === "mtu") {
      const locked = value === "lock";
      const mtu = numberOf(locked ? cursor.take() : value);
      if (mtu !== undefined) get.mtu = mtu;
    } else if (word === "iif" && value !== undefined) get.iif = value;
    else get.extra.push(value === undefined ? word : `${word} ${value}`);
  }
}

/** An answer of `ip route get`, from the words of its line and of the cache line. */
export function answerOf(draft: RouteDraft, get: GetLine, origin: Origin): RouteGet {
  const hop = hopsOf(draft)[0];
  const iif = get.iif ?? draft.iif;
  const extra = [...draft.extra, ...get.extra];
  if (draft.metric !== undefined) extra.unshift(`metric ${draft.metric}`);
  if (draft.protocol !== undefined) extra.unshift(`proto ${draft.protocol}`);
  const mtu = get.mtu ?? draft.mtu;
  const source = draft.prefSrc;
  const family = source === undefined ? 4 : familyOf(source);
  return {
    destination: (draft.destination ?? anyPrefix(family)).address,
    type: draft.type,
    // IPv6 answers say `from ::` where no source was asked for.
    ...(draft.from === undefined || isUnspecified(draft.from.address) ? {} : { from: draft.from.address }),
    ...(hop?.gateway === undefined ? {} : { gateway: hop.gateway }),
    ...(hop?.device === undefined ? {} : { device: hop.device }),
    ...(source === undefined ? {} : { source }),
    ...(draft.mark === undefined ? {} : { mark: draft.mark }),
    ...(iif === undefined ? {} : { iif }),
    ...(draft.table === undefined ? {} : { table: draft.table }),
    ...(draft.tos === undefined ? {} : { tos: draft.tos }),
    ...(draft.uid === undefined ? {} : { uid: draft.uid }),
    ...(get.cached ? { cacheFlags: get.cacheFlags } : {}),
    ...(mtu === undefined ? {} : { mtu }),
    ...(extra.length > 0 ? { extra } : {}),
    origin,
  };
}
