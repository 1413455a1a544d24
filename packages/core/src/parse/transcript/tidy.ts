import { lookup } from "../../model/lookup.ts";
import { type Page, replaceLine } from "./page.ts";

const ESCAPES = /\u001b(?:\[[0-9;?]{0,32}[ -/]{0,4}[@-~]|\][^\u0007\u001b]{0,400}(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
const ARROWS = ["<--", "<==", "←", "⬅", "⇐"];

/** Cuts what an author wrote beside a line of output: `… lookup main <---- to the pod`. No tool prints such an arrow. */
function withoutArrow(text: string): string {
  if (text.startsWith("==>")) return text;
  for (const arrow of ARROWS) {
    const at = text.indexOf(arrow);
    if (at > 0 && /\s/.test(text[at - 1]!)) return text.slice(0, at).trimEnd();
  }
  return text;
}

/** Emphasis that a text puts around a line of output. */
const EMPHASIS = /^\*\*(?=\S)|(?<=\S)\*\*$/g;
/** Lines that their tool always indents, and that lost it on the way. */
const UNINDENTED =
  /^(?:link\/[a-z]|inet6? [\da-fA-F]|valid_lft |nexthop (?:via|dev) |(?:RX|TX) (?:packets|errors|bytes)|ether [\da-f]{2}:)/;
const ODD =
  /<--|<==|[←⬅⇐]|^\*\*|\*\*$|[\u001b\u00a0\u200b-\u200d\u2028\u2029\ufeff\u0008]|&(?:gt|lt|amp|quot|nbsp|#39);/;
const ENTITIES: Readonly<Record<string, string>> = lookup({
  "&gt;": ">",
  "&lt;": "<",
  "&amp;": "&",
  "&quot;": '"',
  "&nbsp;": " ",
  "&#39;": "'",
});

/**
 * Takes off what copying from a terminal or a web page leaves in the text: colours and other escape sequences, no-break
 * and zero-width spaces, HTML entities, arrows and emphasis. None of these can be part of what a tool printed.
 */
export function tidy(page: Page): void {
  for (let i = 0; i < page.texts.length; i++) {
    const text = page.texts[i]!;
    if (UNINDENTED.test(text)) replaceLine(page, i, `    ${text}`, -4);
    if (!ODD.test(text)) continue;
    const clean = page.texts[i]!.replace(ESCAPES, "")
      .replace(/[\u200b-\u200d\u2028\u2029\ufeff\u0008\u001b]/g, "")
      .replace(/\u00a0/g, " ")
      .replace(/&(?:gt|lt|amp|quot|nbsp|#39);/g, (entity) => ENTITIES[entity]!)
      .replace(EMPHASIS, "");
    replaceLine(page, i, withoutArrow(clean), 0);
  }
}

const SINGLE = ["\u001b", "\u00a0", "←", "⬅", "⇐", "\u200b", "\ufeff"];
const BY_FIRST: readonly (readonly [string, readonly string[]])[] = [
  ["<", ["<--", "<=="]],
  ["&", ["&gt;", "&lt;", "&quot;", "&amp;", "&nbsp;"]],
];

/** Whether a text holds anything of that kind: most files do not, and need not be looked at line by line. */
export const isUntidy = (text: string): boolean =>
  SINGLE.some((mark) => text.includes(mark)) ||
  BY_FIRST.some(([first, marks]) => text.includes(first) && marks.some((mark) => text.includes(mark)));
