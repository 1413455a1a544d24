import { type Text, text } from "@hairpin/core/messages/index.ts";
import type { Look } from "./item.ts";
import type { State } from "./state.ts";

export const phaseText = (phase: State["phase"]): Text => text(`guard.phase.${phase}`);
export const stateText = (state: Look["state"]): Text => text(`guard.state.${state}`);

/** Several troubles in one line. */
export const several = (texts: readonly Text[]): Text =>
  texts.slice(1).reduce((first, second) => text("guard.both", { first, second }), texts[0]!);
