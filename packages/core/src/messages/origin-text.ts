import type { AssumedOrigin, DerivedOrigin } from "../model/index.ts";
import type { Lang } from "./text.ts";
import { ASSUMED, DERIVED, origins } from "./zh/reading/origins.ts";

/** Of a value that stands in no file: how it came to be. */
export function originText({ kind, rule }: DerivedOrigin | AssumedOrigin, lang: Lang): string {
  if (lang === "en") return `${kind}: ${rule}`;
  return `${kind === "derived" ? DERIVED : ASSUMED}${ruleInChinese(rule) ?? rule}`;
}

/** A rule with a name in it is found by what stands before the name. */
function ruleInChinese(rule: string): string | undefined {
  if (origins[rule] !== undefined) return origins[rule];
  const [asked, said] =
    Object.entries(origins).find(([r]) => r.endsWith("{}") && rule.startsWith(r.slice(0, -2))) ?? [];
  return asked === undefined ? undefined : said?.replace("{}", rule.slice(asked.length - 2));
}
