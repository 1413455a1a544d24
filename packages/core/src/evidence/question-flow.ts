import type { ObservedIp, Sees } from "../model/index.ts";
import { isHostName } from "../model/index.ts";
import { type Address, hasPorts } from "../net/index.ts";
import { hostText } from "./endpoint-text.ts";

/** What was asked, as far as observations are told apart by it. */
export interface QuestionFlow {
  readonly to: Address;
  readonly port: number;
  readonly protocol: number;
  /** What the walk says the destination becomes: captures behind a translation show only that. */
  readonly becomes?: readonly { readonly to: Address; readonly port: number }[];
  /** `--bind`: an attempt bound otherwise tells nothing about this one. */
  readonly bind?: string;
  /** Whether this address is somebody else's than the client's. */
  readonly isOthers?: (address: Address) => boolean;
  /** Whether this address is one that the client sends from, or that the walk gives its packet on the way. */
  readonly isOwn?: (address: Address) => boolean;
  /** Whether a node on the way, of which nobody showed what it translates, may have given the packet this address. */
  readonly mayBecome?: (address: Address) => boolean;
  /** What the client sees, by the asker's word. */
  readonly sees?: Sees;
}

/** Whether a packet goes where was asked, before or after translation. */
export const concerns = (query: QuestionFlow, ip: Pick<ObservedIp, "dst" | "dport">): boolean =>
  [query, ...(query.becomes ?? [])].some(
    ({ to, port }) =>
      hostText(ip.dst) === hostText(to) && (!hasPorts(query.protocol) || ip.dport === undefined || ip.dport === port),
  );

/** What a packet is to the asked flow. `own`: the client's side is the client's own address; else it may be another client's. */
export interface PartOfFlow {
  readonly way: "request" | "reply";
  readonly own: boolean;
}

/** Whether a packet that was seen is the asked flow's request or the answer to it. */
export function partOf(requested: QuestionFlow, ip: ObservedIp): PartOfFlow | undefined {
  if (ip.protocol !== undefined && ip.protocol !== requested.protocol) return undefined;
  const turned = {
    dst: ip.src,
    ...(ip.sport === undefined ? {} : { dport: ip.sport }),
  };
  const way = concerns(requested, ip) ? "request" : concerns(requested, turned) ? "reply" : undefined;
  if (way === undefined) return undefined;
  const client = way === "request" ? ip.src : ip.dst;
  return { way, own: !isHostName(client) && requested.isOwn?.(client) === true };
}
