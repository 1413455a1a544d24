import { type Text, text } from "@hairpin/core/messages/index.ts";
import { isContested } from "./backoff.ts";
import { type Item, type Look, type Prior, Trouble } from "./item.ts";
import { itemsOf } from "./items/index.ts";
import { withLock } from "./lock.ts";
import { bootId, dropState, type Kept, type Repair, readState, type State, writeState } from "./state.ts";
import { phaseText, several, stateText } from "./texts.ts";

/** How many repairs the state remembers. */
const REMEMBERED = 200;

export interface GuardReport {
  readonly healthy: boolean;
  readonly lines: readonly Text[];
}

const itemsFor = (kept: Kept): readonly Item[] => {
  const { items, refused } = itemsOf(kept.commands, () => kept.backend);
  if (refused.length > 0) throw new Trouble(several(refused));
  return items;
};

/**
 * Puts a proved fix in place for a minute. The journal comes first, then whoever will take it back if nobody confirms (`watch`),
 * then the fix; if a part of it cannot be put there, none of it stays.
 */
export function apply(folder: string, kept: Kept, within: number, watch: () => void): GuardReport {
  return withLock(folder, () => {
    recover(folder);
    const known = readState(folder);
    if (known !== undefined && known.phase !== "reverting") {
      if (known.kept.commands.join("\n") === kept.commands.join("\n"))
        return { healthy: true, lines: [text("guard.already", { code: kept.code, phase: phaseText(known.phase) })] };
      throw new Trouble(text("guard.other-kept", { code: known.kept.code }));
    }
    const items = itemsFor(kept);
    const priors = items.map((item) => item.before());
    const state: State = {
      version: 1,
      kept,
      phase: "applying",
      priors,
      deadline: Date.now() + within,
      boot: bootId(),
      repairs: [],
    };
    writeState(folder, state);
    watch();
    try {
      for (const [i, item] of items.entries()) item.apply(priors[i]!);
      writeState(folder, { ...state, phase: "pending", deadline: Date.now() + within });
    } catch (error) {
      const left = undo(items, priors);
      if (left.length === 0) dropState(folder);
      if (!(error instanceof Trouble)) throw error;
      throw new Trouble(several([text("guard.nothing-changed", { why: error.text }), ...left]));
    }
    return {
      healthy: true,
      lines: [
        ...kept.commands.map((command) => text("guard.applied", { command })),
        text("guard.until", { seconds: Math.round(within / 1000) }),
      ],
    };
  });
}

/** Takes items back, the last first. What cannot be is said. */
function undo(items: readonly Item[], priors: readonly Prior[]): readonly Text[] {
  const left: Text[] = [];
  for (const [i, item] of [...items.entries()].reverse()) {
    try {
      item.revert(priors[i] ?? {});
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      left.push(text("guard.left", { command: item.command, why: error.text }));
    }
  }
  return left;
}

/** Undoes what a crash or nobody's confirmation left behind. Called under the lock. */
function recover(folder: string): readonly Text[] {
  const state = readState(folder);
  if (state === undefined) return [];
  const expired = state.phase === "pending" && (Date.now() >= state.deadline || state.boot !== bootId());
  if (state.phase === "confirmed" || (state.phase === "pending" && !expired)) return [];
  const { code } = state.kept;
  const left = expired ? text("guard.not-confirmed", { code }) : text("guard.half-done", { code });
  return [left, ...takeBack(folder, state)];
}

function takeBack(folder: string, state: State): readonly Text[] {
  writeState(folder, { ...state, phase: "reverting" });
  const left = undo(itemsFor(state.kept), state.priors);
  if (left.length > 0) throw new Trouble(several(left));
  dropState(folder);
  return state.kept.commands.map((command) => text("guard.taken-back", { command }));
}

/** At the deadline: takes back what nobody confirmed. */
export function expire(folder: string): readonly Text[] {
  return withLock(folder, () => recover(folder));
}

export function confirm(folder: string): GuardReport {
  return withLock(folder, () => {
    const gone = recover(folder);
    const state = readState(folder);
    if (state === undefined)
      return {
        healthy: false,
        lines: gone.length > 0 ? [...gone, text("guard.too-late")] : [text("guard.nothing-to-confirm")],
      };
    if (state.phase === "pending") writeState(folder, { ...state, phase: "confirmed" });
    return { healthy: true, lines: [text("guard.confirmed", { code: state.kept.code })] };
  });
}

export function remove(folder: string): GuardReport {
  return withLock(folder, () => {
    const state = readState(folder);
    if (state === undefined) return { healthy: true, lines: [text("guard.nothing-kept")] };
    return { healthy: true, lines: takeBack(folder, state) };
  });
}

/** One round: looks at every item and puts back what is gone, unless somebody keeps taking it out. */
export function once(folder: string, now = Date.now()): GuardReport {
  return withLock(folder, () => {
    const lines = [...recover(folder)];
    const state = readState(folder);
    if (state === undefined) return { healthy: true, lines: [...lines, text("guard.nothing-kept")] };
    if (state.phase !== "confirmed")
      return { healthy: true, lines: [...lines, text("guard.waits", { code: state.kept.code })] };
    const repairs: Repair[] = [...state.repairs];
    let healthy = true;
    for (const [i, item] of itemsFor(state.kept).entries()) {
      const round = repair(item, state.priors[i] ?? {}, repairs, now);
      if (round === undefined) continue;
      lines.push(round.line);
      healthy &&= round.healthy;
      if (round.repair !== undefined) repairs.push(round.repair);
    }
    if (repairs.length !== state.repairs.length || state.checked === undefined)
      writeState(folder, { ...state, repairs: repairs.slice(-REMEMBERED), checked: now });
    return { healthy, lines };
  });
}

interface Round {
  readonly line: Text;
  readonly healthy: boolean;
  readonly repair?: Repair;
}

function repair(item: Item, prior: Prior, repairs: readonly Repair[], time: number): Round | undefined {
  const look = item.look(prior);
  if (look.state === "present") return undefined;
  if (look.state === "unknown")
    return { line: text("guard.cannot-look", { where: item.where, why: look.why }), healthy: false };
  if (isContested(repairs, item.command, time))
    return { line: text("guard.contested", { where: item.where, command: item.command }), healthy: false };
  const { command } = item;
  const repair = { time, command, found: look.state };
  try {
    item.apply(prior);
    return { line: text("guard.put-back", { found: stateText(look.state), command }), healthy: true, repair };
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    return {
      line: text("guard.cannot-put-back", { command, why: error.text }),
      healthy: false,
      repair: { ...repair, trouble: error.message },
    };
  }
}

export interface Status {
  readonly phase: State["phase"] | "none";
  readonly healthy: boolean;
  readonly kept?: Kept;
  readonly deadline?: number;
  readonly items: readonly { readonly command: string; readonly look: Look; readonly contested: boolean }[];
  readonly repairs: readonly Repair[];
}

/** When an unconfirmed fix will be taken back; undefined where none waits. */
export function waitsUntil(folder: string): number | undefined {
  const state = readState(folder);
  return state === undefined || state.phase === "confirmed" ? undefined : state.deadline;
}

/** What is kept and how it is. Changes nothing, takes no lock. */
export function status(folder: string, now = Date.now()): Status {
  const state = readState(folder);
  if (state === undefined) return { phase: "none", healthy: false, items: [], repairs: [] };
  const items = itemsFor(state.kept).map((item, i) => ({
    command: item.command,
    look: item.look(state.priors[i]),
    contested: isContested(state.repairs, item.command, now),
  }));
  const { phase, kept, repairs, deadline } = state;
  const healthy = phase === "confirmed" && items.every((i) => i.look.state === "present" && !i.contested);
  return { phase, healthy, kept, repairs, items, ...(phase === "pending" ? { deadline } : {}) };
}
