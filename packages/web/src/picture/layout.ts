import { largest } from "@hairpin/core/net/append.ts";
import type { BranchView, LegView } from "../view/leg.ts";
import type { Crossing, Mood, Row, Station } from "../view/rows.ts";
import { tellingLegs } from "../view/strip.ts";
import { columns, wrapText } from "./wrap.ts";

/** Sizes in SVG units; text is set in a fixed-width font, so that its width can be computed. */
export const SIZE = {
  char: 6.35,
  line: 14,
  title: 16,
  nameLine: 17,
  gap: 10,
  head: 40,
  legHead: 34,
  margin: 10,
} as const;

/** Nothing is cut that a person wrote; what a hostile dump holds ends somewhere. */
const MOST_LINES = 30;

const SIGNS: Partial<Record<Mood, string>> = { arrived: "✓ ", answered: "↩ ", left: "⇥ " };

export interface Lane {
  readonly stack: string;
  readonly x: number;
}

export interface PlacedStation {
  readonly row: Station;
  readonly lane: Lane;
  readonly y: number;
  readonly height: number;
  readonly titles: readonly string[];
  readonly lines: readonly string[];
}

export interface PlacedCrossing {
  readonly row: Crossing;
  readonly from: Lane;
  readonly to: Lane;
  readonly y: number;
  readonly height: number;
  readonly packet: readonly string[];
  /** Where the wire runs. */
  readonly wire: number;
  readonly notes: readonly string[];
}

export type Placed = PlacedStation | PlacedCrossing;

export interface PlacedLeg {
  readonly leg: LegView;
  readonly y: number;
  readonly end: number;
  /** What is sent, above its rows. */
  readonly head: readonly string[];
  readonly rows: readonly Placed[];
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly laneWidth: number;
  /** Names of the stacks, as many lines as the longest takes. */
  readonly names: readonly (readonly string[])[];
  readonly lanes: readonly Lane[];
  readonly legs: readonly PlacedLeg[];
}

export const isStation = (placed: Placed): placed is PlacedStation => placed.row.type === "station";

const WIDTHS = [300, 300, 250, 220, 200];
const laneWidthFor = (count: number): number => WIDTHS[count] ?? 174;

/**
 * Where everything stands: a lane a stack, in the order the packet first met them, time downwards. Data that went through is
 * not drawn again; it took the same way.
 */
export function layoutOf(branch: BranchView): Layout {
  const shown = tellingLegs(branch);
  const stacks = [...new Set(shown.flatMap((leg) => leg.rows.flatMap(stacksOf)))].filter((s) => s !== "");
  const laneWidth = laneWidthFor(stacks.length);
  const lanes = stacks.map((stack, i) => ({ stack, x: SIZE.margin + laneWidth * (i + 0.5) }));
  const laneOf = new Map(lanes.map((l) => [l.stack, l]));
  const fallback = lanes[0] ?? { stack: "", x: SIZE.margin + laneWidth / 2 };
  const width = SIZE.margin * 2 + laneWidth * Math.max(1, lanes.length);
  const names = lanes.map((l) => wrapText(l.stack, Math.floor((laneWidth - 16) / 8.2), MOST_LINES));
  let y =
    SIZE.head +
    (largest(
      1,
      names.map((n) => n.length),
    ) -
      1) *
      SIZE.nameLine;
  const legs = shown.map((leg): PlacedLeg => {
    const top = y;
    const arrow = leg.direction === "reply" ? "←" : "→";
    const head = wrapText(`${arrow} ${leg.what} ${leg.packet}`, Math.floor((width - 30) / 7.4), MOST_LINES);
    y += SIZE.legHead + (head.length - 1) * SIZE.title;
    const rows = leg.rows.map((row): Placed => {
      const placed = place(row, (stack) => laneOf.get(stack) ?? fallback, y, laneWidth);
      y += placed.height + SIZE.gap;
      return placed;
    });
    return { leg, y: top, end: y, head, rows };
  });
  return {
    width,
    height: y + SIZE.gap,
    laneWidth,
    names,
    lanes,
    legs,
  };
}

const stacksOf = (row: Row): readonly string[] => (row.type === "station" ? [row.stack] : [row.from, row.to]);

function place(row: Row, laneOf: (stack: string) => Lane, y: number, laneWidth: number): Placed {
  if (row.type === "crossing") {
    const [from, to] = [laneOf(row.from), laneOf(row.to)];
    const room = Math.max(1, Math.abs(from.x - to.x) / laneWidth) * laneWidth - 16;
    const notes = row.notes.flatMap((n) => wrapText(n, Math.floor(room / SIZE.char), MOST_LINES));
    const packet = packetLines(row.packet, Math.floor((from === to ? room / 2 : room + 10) / SIZE.char));
    const wire = y + 6 + packet.length * 13;
    return { row, from, to, y, height: wire - y + 14 + notes.length * SIZE.line, packet, wire, notes };
  }
  const width = Math.floor((laneWidth - 34) / SIZE.char);
  const loud = row.mood === "dead" || row.mood === "unknown";
  const titles = wrapText(`${SIGNS[row.mood] ?? ""}${row.title}`, Math.floor((laneWidth - 36) / 7.4), MOST_LINES);
  const lines = row.notes.flatMap((n) => wrapText(n, width, MOST_LINES)).slice(0, MOST_LINES);
  const label = loud ? SIZE.title : 0;
  const height =
    row.mood === "quiet" && titles.length < 2 ? 22 : 12 + label + titles.length * SIZE.title + lines.length * SIZE.line;
  return { row, lane: laneOf(row.stack), y, height, titles, lines };
}

/** Between the lanes the addresses are what counts: on one line if they fit, else on two. */
function packetLines(packet: string, width: number): readonly string[] {
  const short = packet
    .replace(/^(?:tcp|udp|sctp) /, "")
    .replace(/ (?:SYN|ACK|RST|FIN|PSH)[A-Z,]*$/, "")
    .replaceAll(":*", "");
  if (columns(short) <= width) return [short];
  return wrapText(short, width, MOST_LINES);
}
