import type { Listener, ReadOrigin } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { type Address, PROTO, parseAddress, servicePort } from "../../net/index.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { tool } from "../not-read-yet/not-read-yet.ts";
import { originAt, type Source } from "../source.ts";

const SS =
  /^\s*(?:(tcp|udp|sctp|mptcp|raw|u_str|u_dgr|u_seq|nl|p_raw|p_dgr|icmp6?|vsock|v_str|v_dgr|xdp|tipc)\s+)?(LISTEN|ESTAB|UNCONN|TIME-WAIT|SYN-SENT|SYN-RECV|CLOSE-WAIT|FIN-WAIT-[12]|LAST-ACK|CLOSING|CLOSED)\s+\d+\s+\d+\s+(\S{1,120})\s+(\S{1,120})(?:\s+(.{0,400}))?/;
/** Old ss leaves blanks around the colon: `*:ssh`, `:::80`. */
const NETSTAT =
  /^\s*(tcp6?|udp6?|udplite6?|sctp)\s+\d+\s+\d+\s+(\S{1,120})\s+(\S{1,120})(?:\s+([A-Z_0-9]{3,12}))?(?:\s+(.{0,200}))?/;
const LSOF = /^(\S{1,40})\s+\d+\s.{0,120}\b(TCP|UDP) (\S{1,120}?)(?: \((LISTEN)\))?\s*$/;

interface Bound {
  readonly address?: Address;
  readonly port: number;
  readonly device?: string;
  readonly v6only?: true;
  readonly v4only?: true;
}

/** `0.0.0.0:22`, `*:22`, `[::1]:53`, `127.0.0.53%lo:domain`, `:::80`. Undefined: no port in it. */
function boundTo(text: string): Bound | undefined {
  const colon = text.lastIndexOf(":");
  if (colon < 0) return undefined;
  const service = text.slice(colon + 1);
  const port = /^\d{1,5}$/.test(service) ? Number(service) : servicePort(service);
  if (port === undefined) return undefined;
  let host = text.slice(0, colon).replace(/^\[|\]$/g, "");
  const percent = host.indexOf("%");
  const device = percent < 0 ? undefined : host.slice(percent + 1).replace(/\]$/, "");
  if (percent >= 0) host = host.slice(0, percent);
  const wild = host === "*" || host === "0.0.0.0" || host === "::" || host === "";
  const address = wild ? undefined : parseAddress(host.replace(/\]$/, "").replace(/^::ffff:(?=\d+\.)/i, ""));
  if (!wild && address === undefined) return undefined;
  return {
    port,
    ...(address === undefined ? {} : { address }),
    ...(device === undefined ? {} : { device }),
    // ss writes `*` for the wildcard of both families; without brackets (`:::80`) a tool does not tell the two apart.
    ...(wild && text.startsWith("[::]") && { v6only: true as const }),
    ...(host === "0.0.0.0" && { v4only: true as const }),
  };
}

interface Row {
  readonly listens: boolean;
  readonly protocol: number | undefined;
  readonly local: string;
  readonly process?: string;
  readonly uid?: number;
}

/** `ss --inet-sockopt`: switches that are on, by name, in a line of their own below the socket's. */
function isTransparent(details: string): boolean | undefined {
  const options = /\binet-sockopt: \(([^)]{0,300})\)/.exec(details)?.[1];
  return options === undefined ? undefined : options.split(" ").includes("transparent");
}

/** `ss -e`: the socket's inode is always there, its owner only where it is not root. */
function ownerIn(details: string): number | undefined {
  if (!/\bino:\d/.test(details)) return undefined;
  return Number(/\buid:(\d{1,10})\b/.exec(details)?.[1] ?? 0);
}

const PROTOCOLS: Readonly<Record<string, number>> = lookup({
  tcp: PROTO.tcp,
  udp: PROTO.udp,
  sctp: PROTO.sctp,
  udplite: PROTO.udplite,
});

function rowOf(line: string, requested: ReadonlySet<number>): Row | undefined {
  const ss = SS.exec(line);
  if (ss !== null) {
    const [, netid, state = "", local = "", , rest = ""] = ss;
    const protocol =
      netid !== undefined
        ? PROTOCOLS[netid]
        : state === "LISTEN"
          ? PROTO.tcp
          : state === "UNCONN" && (requested.has(PROTO.udp) || requested.size === 0)
            ? PROTO.udp
            : undefined;
    const process = /users:\(\("([^"]{1,60})"/.exec(rest)?.[1];
    const uid = ownerIn(rest);
    return {
      listens: state === "LISTEN" || (state === "UNCONN" && protocol === PROTO.udp),
      protocol,
      local,
      ...(uid === undefined ? {} : { uid }),
      ...(process === undefined ? {} : { process }),
    };
  }
  const netstat = NETSTAT.exec(line);
  if (netstat !== null) {
    const [, name = "", local = "", foreign = "", state, rest = ""] = netstat;
    const protocol = PROTOCOLS[name.replace(/6$/, "")];
    const process = /\b\d+\/(\S{1,60})/.exec(`${state ?? ""} ${rest}`)?.[1];
    const listens = state === "LISTEN" || (protocol === PROTO.udp && /:\*$/.test(foreign));
    return { listens, protocol, local, ...(process === undefined ? {} : { process }) };
  }
  const lsof = LSOF.exec(line);
  if (lsof === null) return undefined;
  const protocol = lsof[2] === "TCP" ? PROTO.tcp : PROTO.udp;
  const listens = lsof[4] !== undefined || (protocol === PROTO.udp && !lsof[3]!.includes("->"));
  return { listens, protocol, local: lsof[3]!, process: lsof[1]! };
}

const HEADS =
  /^\s*(?:(?:Netid\s+)?State\s+Recv-Q|Active (?:Internet|UNIX)|Proto\s+(?:Recv-Q|RefCnt)|COMMAND\s+PID|Total: \d|TCP:\s|UDP\s|RAW\s|INET\s|FRAG\s|Transport\s|unix\s|\()/;
const DETAIL = /^\s+(?:skmem:|cubic|bbr|ts |timer:|users:|wscale:|rto:|ino:|uid:|sk:|cgroup:|inet-sockopt:)/;

interface Requested {
  readonly protocols: ReadonlySet<number>;
  readonly everything: boolean;
  /** By a filter, or to one family: what is not listed may be there. */
  readonly narrowed: boolean;
}

/** Which protocols the command asked for; none named means all. `everything`: all listening sockets of them. */
function requestedStates(words: readonly string[] | undefined): Requested {
  const name = words === undefined ? "" : tool(words);
  if (words === undefined) return { protocols: new Set(), everything: false, narrowed: false };
  if (name !== "ss" && name !== "netstat") return { protocols: new Set(), everything: false, narrowed: true };
  const letters = words.slice(1).flatMap((w) => (/^-[A-Za-z0-9]+$/.test(w) ? [...w.slice(1)] : []));
  const plain = words.slice(1).filter((w) => !w.startsWith("-"));
  const has = (letter: string, long: string): boolean => letters.includes(letter) || words.includes(long);
  const protocols = new Set<number>();
  if (has("t", "--tcp")) protocols.add(PROTO.tcp);
  if (has("u", "--udp")) protocols.add(PROTO.udp);
  const listening = has("l", "--listening") || has("a", "--all");
  const narrowed = plain.length > 0 || has("4", "--ipv4") || has("6", "--ipv6") || letters.includes("x");
  return { protocols, everything: listening && !narrowed, narrowed };
}

/** `only servers`, `servers and established`: without them, netstat leaves out who listens. */
const NETSTAT_HEAD = /^\s*Active Internet connections \((?:only )?servers\b/;
const SS_HEAD = /^\s*(Netid\s+)?State\s+Recv-Q\s+Send-Q\s/;

/**
 * What a listing tells of itself where nobody said by which command it was made. Its head speaks against grep; ss has the column Netid
 * where it was asked for more than one protocol, and shows who listens only where it was asked to.
 */
function showsAllOf(lines: readonly string[], listeners: readonly Listener[]): readonly number[] {
  const shown = [PROTO.tcp, PROTO.udp].filter((p) => listeners.some((l) => l.protocol === p));
  const netstat = lines.some((l) => NETSTAT_HEAD.test(l.slice(0, 200)));
  if (netstat) return shown;
  const head = lines.map((l) => SS_HEAD.exec(l.slice(0, 200))).find((m) => m !== null);
  if (head === undefined) return [];
  if (head?.[1] === undefined) return shown.length === 1 ? shown : [];
  return shown.length === 2 ? shown : [];
}

/** `ss`, `netstat`, `lsof -i`: who listens. Connected sockets are counted only. */
export function readSockets(source: Source, context: DumpContext): Reading {
  const { protocols, everything, narrowed } = requestedStates(context.command);
  const listeners: Listener[] = [];
  const diagnostics: Diagnostic[] = [];
  let connected = 0;
  /** The listener of the line before, which details may follow. */
  let last: Listener | undefined;
  source.lines.forEach((full, index) => {
    const line = full.slice(0, 2000);
    const transparent = isTransparent(line);
    if (transparent !== undefined && last !== undefined && listeners.at(-1) === last)
      listeners[listeners.length - 1] = { ...last, transparent };
    if (line.trim() === "" || HEADS.test(line) || DETAIL.test(line)) return;
    last = undefined;
    const row = rowOf(line, protocols);
    if (row === undefined) {
      diagnostics.push(diagnose(source, index, 0, "sockets-unread", "no line of sockets", { severity: "warning" }));
      return;
    }
    const bound = row.listens ? boundTo(row.local) : undefined;
    if (bound === undefined || row.protocol === undefined) connected++;
    else {
      last = listenerOf(bound, row.protocol, row, originAt(source, index));
      listeners.push(last);
    }
  });
  const both = protocols.size === 0 || (protocols.has(PROTO.tcp) && protocols.has(PROTO.udp));
  const uncut = context.partial === undefined && diagnostics.length === 0;
  const complete = everything && uncut;
  const known = uncut && !narrowed && !everything ? showsAllOf(source.lines, listeners) : [];
  const whole = (complete && both) || known.length === 2;
  return {
    facts: [
      {
        kind: "listeners",
        listeners,
        extent: whole ? "whole" : "partial",
        wholeFor: complete ? [...protocols] : known,
      },
    ],
    diagnostics,
    counts: { listeners: listeners.length, ...(connected === 0 ? {} : { "other sockets": connected }) },
  };
}

const listenerOf = (bound: Bound, protocol: number, { process, uid }: Row, origin: ReadOrigin): Listener => ({
  protocol,
  ...bound,
  ...(process === undefined ? {} : { process }),
  ...(uid === undefined ? {} : { uid }),
  origin,
});
