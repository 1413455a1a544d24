import { en } from "./en/index.ts";
import { zh } from "./zh/index.ts";

/**
 * The templates of a language by id. The build of the command line puts a module in the place of this one that reads a language when its
 * first text is said (`scripts/build.mjs`): making thousands of texts of which an answer says a few takes time at every start.
 */
export const catalogue = (lang: "en" | "zh"): Readonly<Record<keyof typeof en, string>> => (lang === "zh" ? zh : en);
