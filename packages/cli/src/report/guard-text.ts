import { type Lang, say, type Text, text } from "@hairpin/core/messages/index.ts";
import { phaseText, type Status, stateText } from "@hairpin/guard/index.ts";
import { printable, type Style } from "./style.ts";

/** How many of the last repairs are shown. */
const SHOWN = 10;

/** What is kept on this node, thing by thing, and what had to be put back. */
export function statusText(status: Status, style: Style, lang: Lang): string {
  const told = (of: Text): string => printable(say(of, lang));
  if (status.kept === undefined || status.phase === "none") return `${told(text("guard.nothing-kept"))}\n`;
  const { code, node } = status.kept;
  const phase = phaseText(status.phase);
  const head =
    status.deadline === undefined
      ? text("guard.status", { code, node, phase })
      : text("guard.status-left", { code, node, phase, seconds: secondsTo(status.deadline) });
  const lines = [(status.healthy ? style.green : style.red)(told(head))];
  for (const item of status.items) lines.push(`  ${told(itemText(item))}`);
  for (const repair of status.repairs.slice(-SHOWN)) lines.push(style.dim(`  ${told(repairText(repair))}`));
  return `${lines.join("\n")}\n`;
}

const secondsTo = (time: number): number => Math.max(0, Math.round((time - Date.now()) / 1000));

function itemText({ command, look, contested }: Status["items"][number]): Text {
  if (look.state === "unknown") return text("guard.item-unknown", { why: look.why, command });
  const state = stateText(look.state);
  return contested ? text("guard.item-contested", { state, command }) : text("guard.item", { state, command });
}

function repairText({ time, found, trouble, command }: Status["repairs"][number]): Text {
  const asFound = { time: new Date(time).toISOString(), found: stateText(found), command };
  return trouble === undefined
    ? text("guard.repaired", asFound)
    : text("guard.not-repaired", { ...asFound, why: trouble });
}

/** The same for programs: texts in English. */
export const statusJson = (status: Status) => ({
  ...status,
  items: status.items.map(({ look, ...item }) => ({
    ...item,
    look: look.state === "unknown" ? { ...look, why: say(look.why) } : look,
  })),
});
