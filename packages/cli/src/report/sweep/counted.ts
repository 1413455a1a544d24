import { figure, type Lang, say, text } from "@hairpin/core/messages/index.ts";

/** One flow, or several. */
export const flowsText = (count: number, lang: Lang): string =>
  say(count === 1 ? text("sweep.flow") : text("sweep.flows", { count: figure(count) }), lang);

export const classesText = (count: number, lang: Lang): string =>
  say(count === 1 ? text("sweep.class") : text("sweep.classes", { count: figure(count) }), lang);

export const expectationsText = (count: number, lang: Lang): string =>
  say(count === 1 ? text("expect.one") : text("expect.many", { count: figure(count) }), lang);
