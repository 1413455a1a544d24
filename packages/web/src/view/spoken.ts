import { type Lang, say, type Text } from "@hairpin/core/messages/index.ts";

/** A text of the catalogue, or one that is the same in every language. */
export const spoken = (of: Text | string, lang: Lang): string => (typeof of === "string" ? of : say(of, lang));
