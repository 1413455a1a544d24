import { LANGS, type Lang } from "@hairpin/core/messages/index.ts";
import { Option } from "commander";

/** The language of answers: what --lang says, else the first of LC_ALL, LC_MESSAGES and LANG that is set, as gettext looks. */
export function langOf(env: NodeJS.ProcessEnv): Lang {
  const set = env.LC_ALL || env.LC_MESSAGES || env.LANG || "";
  return /^zh(?:[_.@-]|$)/i.test(set) ? "zh" : "en";
}

export const langOption = (): Option =>
  new Option("--lang <language>", "the language of the answer; LANG says it otherwise").choices([...LANGS]);
