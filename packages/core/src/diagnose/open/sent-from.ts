import { partOf } from "../../evidence/index.ts";
import type { Look } from "../../explain/index.ts";
import type { Exploration } from "../../trace/index.ts";

/** A device by which the asked request was captured, and by which the walk sends it. */
export interface SentFrom {
  readonly stack: string;
  readonly device: string;
}

const key = ({ stack, device }: SentFrom): string => `${stack} ${device}`;

/** Devices by which some branch sends the request. */
const transmits = ({ branches }: Exploration): ReadonlySet<string> =>
  new Set(branches.flatMap((b) => b.request.steps.flatMap((s) => (s.kind === "transmit" ? [key(s)] : []))));

/**
 * Where the asked flow's own request was captured on its way out, as the walk has it. All that lies before has let it pass: tcpdump sees a packet
 * that leaves after the last hook (dev_queue_xmit_nit()). A device that it also comes in by says nothing, since captures do not always say which.
 */
export function sentFrom({ connections, flow, exploration }: Look): readonly SentFrom[] {
  const out = transmits(exploration);
  const arrived = new Set(
    exploration.branches.flatMap((b) => b.request.steps.flatMap((s) => (s.kind === "receive" ? [key(s)] : []))),
  );
  const places = connections.flatMap((c) =>
    c.sightings.flatMap(({ ip, place, device = place.device }): readonly SentFrom[] => {
      const part = partOf(flow, ip);
      const stack = place.stack ?? place.node;
      if (part?.way !== "request" || !part.own || device === undefined) return [];
      return [{ stack, device }];
    }),
  );
  const known = new Map(places.map((p) => [key(p), p]));
  return [...known.values()].filter((p) => out.has(key(p)) && !arrived.has(key(p)));
}

/** Whether a walk, in every branch, sends the request by all of these. */
export const agreesWith = (exploration: Exploration, places: readonly SentFrom[]): boolean => {
  const out = transmits(exploration);
  return places.every((p) => out.has(key(p)));
};
