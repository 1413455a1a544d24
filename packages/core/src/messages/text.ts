import { catalogue } from "./catalogues.ts";
import type { en } from "./en/index.ts";

export type Lang = "en" | "zh";
export const LANGS: readonly Lang[] = ["en", "zh"];

export type MessageId = keyof typeof en;

/** The names in braces of a template. */
type Names<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;

export type Param = string | number | Text | readonly (string | Text)[];
type ParamsOf<Id extends MessageId> = { readonly [Name in Names<(typeof en)[Id]>]: Param };

/** Something to tell a person, in no language yet. */
export interface Text {
  readonly id: MessageId;
  readonly params: Readonly<Record<string, Param>>;
}

const NONE: Readonly<Record<string, Param>> = {};

/** The text of that id; the compiler asks for exactly the parameters its English template names. */
export function text<Id extends MessageId>(
  id: Id,
  ...[params]: Names<(typeof en)[Id]> extends never ? [] : [ParamsOf<Id>]
): Text {
  return { id, params: (params as Record<string, Param> | undefined) ?? NONE };
}

/** What is nobody's prose: a verdict's name, an errno. */
export const verbatim = (it: string): Text => ({ id: "verbatim", params: { it } });

const BETWEEN: Readonly<Record<Lang, string>> = { en: ", ", zh: "、" };

/** Marks between pieces of a line that are put together, with the blanks that belong to them. */
export const MARKS: Readonly<
  Record<
    Lang,
    {
      readonly colon: string;
      readonly comma: string;
      readonly semicolon: string;
      readonly brackets: readonly [string, string];
    }
  >
> = {
  en: { colon: ": ", comma: ", ", semicolon: "; ", brackets: [" (", ")"] },
  zh: { colon: "：", comma: "，", semicolon: "；", brackets: ["（", "）"] },
};

/** The sentence. Several things in one parameter are listed. */
export function say(of: Text, lang: Lang = "en"): string {
  return catalogue(lang)[of.id].replace(/\{([^{}]+)\}/g, (_, name: string) => sayParam(of.params[name] ?? "", lang));
}

function sayParam(param: Param, lang: Lang): string {
  if (typeof param === "string" || typeof param === "number") return String(param);
  if (Array.isArray(param)) return param.map((p) => sayParam(p, lang)).join(BETWEEN[lang]);
  return say(param as Text, lang);
}

/** A text, or what is the same in every language. */
export const sayAny = (of: Text | string, lang: Lang = "en"): string => (typeof of === "string" ? of : say(of, lang));

/** The sentence of that id with its parameters as words in capitals, as manual pages write what is to be filled in. */
export const sayTemplate = (id: MessageId, lang: Lang = "en"): string =>
  catalogue(lang)[id].replace(/\{([^{}]+)\}/g, (_, name: string) => name.replace("stack", "node").toUpperCase());
