import { type ConntrackEntry, isHostName, type Origin } from "../../../model/index.ts";
import { type Address, formatAddress } from "../../../net/index.ts";
import type { Look } from "../../sign.ts";
import { shownStacks } from "../claim.ts";

interface Answered {
  readonly stack: string;
  readonly source: string;
  readonly other: string;
  readonly endpoint: string;
  readonly origins: readonly Origin[];
}

/**
 * In one connection table: the asked flow to an endpoint without an answer, and the same endpoint's answer to another
 * source. Only where the log shows that the packet passed the last hook of the node does its loss lie elsewhere.
 */
export function answeredOthers(look: Look): Answered | undefined {
  const { question, observations } = look;
  for (const stack of shownStacks(look)) {
    const query = stack.conntrack.items.find(
      (e) =>
        e.unreplied &&
        e.original.protocol === question.protocol &&
        e.original.dst === question.to &&
        e.original.dport === question.port &&
        isClient(look, e.original.src),
    );
    const answered = query === undefined ? undefined : stack.conntrack.items.find((e) => isAnswered(e, query));
    const left = observations.lines.find(
      (l) =>
        l.place.node === stack.name &&
        query !== undefined &&
        l.trace?.chain === "POSTROUTING" &&
        l.trace.type === "policy" &&
        l.ip !== undefined &&
        !isHostName(l.ip.src) &&
        l.ip.src === query.original.src,
    );
    if (query === undefined || answered === undefined || left === undefined) continue;
    return {
      stack: stack.name,
      source: formatAddress(query.original.src),
      other: formatAddress(answered.original.src),
      endpoint: formatAddress(query.reply.src),
      origins: [query.origin, answered.origin, left.origin],
    };
  }
  return undefined;
}

const isAnswered = (e: ConntrackEntry, requested: ConntrackEntry): boolean =>
  !e.unreplied &&
  e.original.protocol === requested.original.protocol &&
  e.reply.src === requested.reply.src &&
  e.reply.sport === requested.reply.sport &&
  e.original.src !== requested.original.src;

const isClient = ({ question, world }: Look, address: Address): boolean =>
  question.bindAddress !== undefined
    ? question.bindAddress === address
    : world.stacks.some(
        (s) =>
          s.name === question.client &&
          s.devices.items.some((d) => d.addresses.some((a) => a.prefix.address === address)),
      );
