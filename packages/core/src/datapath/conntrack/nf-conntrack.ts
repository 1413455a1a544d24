import {
  type ConntrackEntry,
  type ConntrackTuple,
  type Origin,
  type Packet,
  type Port,
  portKey,
  type Stack,
  type TcpState,
} from "../../model/index.ts";
import { type Address, addressKey, isIcmp } from "../../net/index.ts";
import { memo } from "../kernel/memo.ts";
import type { Offloaded } from "../nft/flow-offload.ts";
import { DumpedEntries, zoneOf } from "./dumped-entries.ts";
import { type Zone, zoneId } from "./nf-conntrack-zone.ts";

export type CtDirection = "original" | "reply";
/** enum ip_conntrack_info with direction taken apart; `none` before conntrack has looked. */
export type CtInfo = "none" | "new" | "established" | "related" | "untracked" | "invalid";

/** struct nf_conntrack_tuple; for ICMP sport is the id and dport is type<<8|code. */
export interface Tuple {
  readonly src: Address;
  readonly dst: Address;
  readonly sport: Port;
  readonly dport: Port;
  readonly protocol: number;
}

/** One connection (struct nf_conn). Mutable: it lives within one walk. */
export interface Conntrack {
  readonly id: number;
  tuple: { original: Tuple; reply: Tuple };
  confirmed: boolean;
  seenReply: boolean;
  assured: boolean;
  /** IPS_SRC_NAT / IPS_DST_NAT: the translation in force. */
  srcNat: boolean;
  dstNat: boolean;
  /** IPS_SRC_NAT_DONE / IPS_DST_NAT_DONE: the decision has been made, be it a null binding. */
  srcNatDone: boolean;
  dstNatDone: boolean;
  /** A SNAT or MASQUERADE rule set the source translation (a null binding that moved a port did not). */
  sourceRule: boolean;
  mark: number;
  /** A rule gave it labels; which bits these are is not known here. */
  labelled?: true;
  zone: Zone;
  tcpState: TcpState;
  /** Packets and bytes by direction (nf_conn_acct); absent of an entry that was there before. */
  counted?: Record<CtDirection, { packets: number; bytes: number }>;
  /** Data of the one who began passed by and was not let in: what it sends behind that is outside of the window. */
  beyondWindow?: true;
  /** IPS_OFFLOAD: a flowtable forwards it. */
  offloaded?: Offloaded;
  /** MASQUERADE remembers the device it left by. */
  masqueradeDevice?: string;
  readonly origin?: Origin;
}

export const invertTuple = (t: Tuple): Tuple => ({
  src: t.dst,
  dst: t.src,
  sport: isIcmp(t.protocol) ? t.sport : t.dport,
  dport: isIcmp(t.protocol) ? invertIcmp(t.dport) : t.sport,
  protocol: t.protocol,
});

/** icmp_invmap: echo 8↔0, timestamp 13↔14, information 15↔16, address mask 17↔18; icmpv6's: echo 128↔129, node information 139↔140. */
const ICMP_INVERSE: ReadonlyMap<number, number> = new Map([
  [8, 0],
  [0, 8],
  [13, 14],
  [14, 13],
  [15, 16],
  [16, 15],
  [17, 18],
  [18, 17],
  [128, 129],
  [129, 128],
  [139, 140],
  [140, 139],
]);
function invertIcmp(dport: Port): Port {
  if (typeof dport !== "number") return dport;
  const inverse = ICMP_INVERSE.get(dport >> 8);
  return inverse === undefined ? dport : (inverse << 8) | (dport & 255);
}

export const tupleOf = (p: Packet): Tuple =>
  isIcmp(p.protocol) && p.icmp !== undefined
    ? { src: p.src, dst: p.dst, sport: p.icmp.id, dport: (p.icmp.type << 8) | p.icmp.code, protocol: p.protocol }
    : { src: p.src, dst: p.dst, sport: p.sport, dport: p.dport, protocol: p.protocol };

const endsOf = (t: Tuple): string =>
  `${t.protocol}|${addressKey(t.src)}|${portKey(t.sport)}|${addressKey(t.dst)}|${portKey(t.dport)}`;
const keyOf = (ends: string, zone: Zone, direction: CtDirection): string =>
  `${direction}|${zoneId(zone, direction)}|${ends}`;

/** The table of one stack: every entry is found by either of its tuples. Those of a dump are made when they are met. */
export class ConntrackTable {
  readonly #byTuple = new Map<string, { ct: Conntrack; direction: CtDirection }>();
  readonly #dumped: DumpedEntries;
  /** Of the dump: those that were met, by their places, and those that are gone. */
  readonly #met = new Map<number, Conntrack>();
  readonly #gone = new Set<number>();
  /** Those that some tuple was found to be, not only looked at beside others. */
  readonly #found = new Set<number>();
  #nextId: number;

  constructor(stack: Stack) {
    this.#dumped = DumpedEntries.of(stack.conntrack.items);
    this.#nextId = 1 + stack.conntrack.items.length;
  }

  find(tuple: Tuple, zone: Zone): { readonly ct: Conntrack; readonly direction: CtDirection } | undefined {
    const dumped = this.#dumped.find(tuple, zone);
    if (dumped !== undefined && !this.#gone.has(dumped.at)) {
      this.#found.add(dumped.at);
      return { ct: this.#at(dumped.at), direction: dumped.direction };
    }
    if (this.#byTuple.size === 0) return undefined;
    const ends = endsOf(tuple);
    return this.#byTuple.get(keyOf(ends, zone, "original")) ?? this.#byTuple.get(keyOf(ends, zone, "reply"));
  }

  #at(place: number): Conntrack {
    return memo(this.#met, place, () => fromDump(this.#dumped.items[place]!, place + 1));
  }

  /** nf_nat_used_tuple(): is the inverse of this tuple already somebody's? */
  taken(tuple: Tuple, zone: Zone, except: Conntrack): boolean {
    const found = this.find(tuple, zone);
    return found !== undefined && found.ct !== except;
  }

  create(tuple: Tuple, zone: Zone): Conntrack {
    return {
      id: this.#nextId++,
      tuple: { original: tuple, reply: invertTuple(tuple) },
      confirmed: false,
      seenReply: false,
      assured: false,
      srcNat: false,
      dstNat: false,
      srcNatDone: false,
      dstNatDone: false,
      sourceRule: false,
      mark: 0,
      zone,
      counted: { original: { packets: 0, bytes: 0 }, reply: { packets: 0, bytes: 0 } },
      tcpState: "NONE",
    };
  }

  /** __nf_conntrack_confirm(): false when a tuple clashes. */
  insert(ct: Conntrack): boolean {
    const { original, reply } = ct.tuple;
    if (this.find(original, ct.zone) !== undefined || this.find(reply, ct.zone) !== undefined) return false;
    this.#byTuple.set(keyOf(endsOf(original), ct.zone, "original"), { ct, direction: "original" });
    this.#byTuple.set(keyOf(endsOf(reply), ct.zone, "reply"), { ct, direction: "reply" });
    ct.confirmed = true;
    return true;
  }

  remove(ct: Conntrack): void {
    if (this.#met.get(ct.id - 1) === ct) this.#gone.add(ct.id - 1);
    for (const direction of ["original", "reply"] as const) {
      const key = keyOf(endsOf(ct.tuple[direction]), ct.zone, direction);
      if (this.#byTuple.get(key)?.ct === ct) this.#byTuple.delete(key);
    }
    ct.confirmed = false;
  }

  /** nf_conntrack_alter_reply(): before confirmation only, so nothing is indexed under the old tuple. */
  alterReply(ct: Conntrack, reply: Tuple): void {
    ct.tuple = { original: ct.tuple.original, reply };
  }

  /** All of them, those of the dump first. Of a large dump that is long: `dumped` and `made` ask for less. */
  get entries(): readonly Conntrack[] {
    return [...this.dumped(() => true), ...this.made];
  }

  /** What this walk put in. */
  get made(): readonly Conntrack[] {
    return [...new Set([...this.#byTuple.values()].map((e) => e.ct))];
  }

  /** Entries of the dump that are still there and of which this holds. */
  dumped(holds: (entry: ConntrackEntry) => boolean): readonly Conntrack[] {
    const found: Conntrack[] = [];
    const { items } = this.#dumped;
    for (let at = 0; at < items.length; at++) if (holds(items[at]!) && this.#isThere(at)) found.push(this.#at(at));
    return found;
  }

  /** What this walk has to do with: what it put in, and what it found in the dump. */
  touched<T>(view: (ct: Conntrack) => T): readonly T[] {
    return [...[...this.#found].map((at) => view(this.#at(at))), ...this.made.map(view)];
  }

  #isThere(at: number): boolean {
    return !this.#gone.has(at) && !this.#dumped.clashing.has(at);
  }

  /** How they are now, whenever it is asked for: of the dump only those that were met can change. */
  snapshot<T>(view: (ct: Conntrack) => T): () => readonly T[] {
    const [met, made] = [new Map([...this.#met].map(([at, ct]) => [at, view(ct)])), this.made.map(view)];
    const gone = new Set([...this.#gone, ...this.#dumped.clashing]);
    return () => [
      ...this.#dumped.items.flatMap((entry, at) =>
        gone.has(at) ? [] : [met.get(at) ?? view(fromDump(entry, at + 1))],
      ),
      ...made,
    ];
  }
}

function fromDump(entry: ConntrackEntry, id: number): Conntrack {
  const { original, reply } = entry;
  const plain = invertTuple(original);
  const same = (a: ConntrackTuple | Tuple, b: ConntrackTuple | Tuple, side: "src" | "dst") =>
    a[side] === b[side] && (side === "src" ? a.sport === b.sport : a.dport === b.dport);
  const dstNat = !same(plain, reply, "src");
  const srcNat = !same(plain, reply, "dst");
  return {
    id,
    tuple: { original, reply },
    confirmed: true,
    seenReply: !entry.unreplied,
    assured: entry.assured,
    srcNat,
    dstNat,
    srcNatDone: true,
    dstNatDone: true,
    sourceRule: srcNat,
    mark: entry.mark,
    zone: zoneOf(entry),
    tcpState: (entry.tcpState as TcpState | undefined) ?? "NONE",
    origin: entry.origin,
  };
}
