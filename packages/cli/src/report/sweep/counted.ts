import { type Lang, say, text } from "@hairpin/core/messages/index.ts";

/** One flow, or several. */
export const flowsText = (count: number, lang: Lang): string =>
  say(count === 1 ? text("sweep.flow") : text("sweep.flows", { count }), lang);

export const classesText = (count: number, lang: Lang): string =>
  say(count === 1 ? text("sweep.class") : text("sweep.classes", { count }), lang);

export const expectationsText = (count: number, lang: Lang): string =>
  say(count === 1 ? text("expect.one") : text("expect.many", { count }), lang);
