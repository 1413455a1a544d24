import type { Status } from "@hairpin/guard/index.ts";
import { printable, type Style } from "./style.ts";

/** How many of the last repairs are shown. */
const SHOWN = 10;

/** What is kept on this node, thing by thing, and what had to be put back. */
export function statusText(status: Status, style: Style): string {
  if (status.kept === undefined) return "Nothing is kept here.\n";
  const { kept } = status;
  const left =
    status.deadline === undefined
      ? ""
      : `, ${Math.max(0, Math.round((status.deadline - Date.now()) / 1000))} s left to confirm`;
  const head = `${kept.code} on ${printable(kept.node)}: ${status.phase}${left}`;
  const lines = [(status.healthy ? style.green : style.red)(head)];
  for (const { command, look, contested } of status.items) {
    const state = look.state === "unknown" ? `cannot be looked at: ${look.why}` : look.state;
    lines.push(
      `  ${printable(state)}${contested ? ", contested: somebody keeps taking it out" : ""}: ${printable(command)}`,
    );
  }
  for (const r of status.repairs.slice(-SHOWN)) {
    lines.push(
      style.dim(
        `  ${new Date(r.time).toISOString()} was ${r.found}${r.trouble === undefined ? ", put back" : `: ${printable(r.trouble)}`}: ${printable(r.command)}`,
      ),
    );
  }
  return `${lines.join("\n")}\n`;
}
