import type { BranchView, LegView } from "./leg.ts";
import type { Mood, Row, Station } from "./rows.ts";

/** A stay of the packet in one stack. */
export interface Stop {
  readonly stack: string;
  /** The step to look at first: where an address changed or the packet ended, else where it came in. */
  readonly step: string;
  /** Which addresses or ports were changed there. */
  readonly changes: readonly string[];
  /** Where the packet goes no further: how, and in which words. */
  readonly end: { readonly mood: Mood; readonly title: string; readonly note: string } | undefined;
}

/** One packet of the conversation, from who sent it to where it came. */
export interface Way {
  readonly direction: "request" | "reply";
  readonly what: string;
  readonly packet: string;
  readonly stops: readonly Stop[];
  readonly arrives: boolean;
}

/** The legs that tell the fate of a branch: there and back, and what came after only where it decides. */
export function tellingLegs(branch: BranchView): readonly LegView[] {
  if (branch.works) return branch.legs.slice(0, 2);
  const told = branch.legs.filter((leg, i) => i < 2 || leg.decisive);
  const last = told.findIndex((leg) => leg.decisive);
  return last < 0 ? told : told.slice(0, last + 1);
}

/** A branch at a glance: who calls, who passes it on, who answers; where addresses change and where it ends. */
export const waysOf = (branch: BranchView): readonly Way[] => tellingLegs(branch).map(wayOf);

function wayOf(leg: LegView): Way {
  const stays: { readonly stack: string; readonly rows: Row[] }[] = [];
  const at = (stack: string): { readonly rows: Row[] } => {
    const last = stays.at(-1);
    if (last?.stack === stack) return last;
    const stay = { stack, rows: [] };
    stays.push(stay);
    return stay;
  };
  for (const row of leg.rows) {
    if (row.type === "station") at(row.stack).rows.push(row);
    else {
      at(row.from);
      at(row.to).rows.push(row);
    }
  }
  const stops = stays.filter((s) => s.stack !== "" || s.rows.length > 0).map((s) => stopOf(s.stack, s.rows, leg));
  const arrives = leg.disposition === "delivered" || leg.disposition === "forwarded";
  return { direction: leg.direction, what: leg.what, packet: leg.packet, stops, arrives };
}

const ENDS: ReadonlySet<Mood> = new Set<Mood>(["dead", "unknown", "left"]);

function stopOf(stack: string, rows: readonly Row[], leg: LegView): Stop {
  const stations = rows.filter((r): r is Station => r.type === "station");
  const changed = stations.filter((s) => s.changes.length > 0);
  const end = stations.find((s) => ENDS.has(s.mood));
  const telling = end ?? changed[0] ?? rows[0];
  const [first, last] = telling?.steps ?? [0, 0];
  return {
    stack,
    step: `${leg.id}-s${Math.max(0, end === undefined && changed.length === 0 ? first : last)}`,
    changes: changed.flatMap((s) => s.changes),
    end: end === undefined ? undefined : { mood: end.mood, title: end.title, note: end.notes[0] ?? "" },
  };
}
