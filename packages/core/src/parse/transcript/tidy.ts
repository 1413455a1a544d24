import { type Page, replaceLine } from "./page.ts";

const ESCAPES = /\u001b(?:\[[0-9;?]{0,32}[ -/]{0,4}[@-~]|\][^\u0007\u001b]{0,400}(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
const ODD = /[\u001b\u00a0\u200b-\u200d\u2028\u2029\ufeff\u0008]|&(?:gt|lt|amp|quot|nbsp|#39);/;
const ENTITIES: Readonly<Record<string, string>> = {
  "&gt;": ">",
  "&lt;": "<",
  "&amp;": "&",
  "&quot;": '"',
  "&nbsp;": " ",
  "&#39;": "'",
};

/**
 * Takes off what copying from a terminal or a web page leaves in the text: colours and other escape sequences, no-break
 * and zero-width spaces, HTML entities. None of these can be part of what a tool printed.
 */
export function tidy(page: Page): void {
  for (let i = 0; i < page.texts.length; i++) {
    const text = page.texts[i]!;
    if (!ODD.test(text)) continue;
    const clean = text
      .replace(ESCAPES, "")
      .replace(/[\u200b-\u200d\u2028\u2029\ufeff\u0008\u001b]/g, "")
      .replace(/\u00a0/g, " ")
      .replace(/&(?:gt|lt|amp|quot|nbsp|#39);/g, (entity) => ENTITIES[entity]!);
    replaceLine(page, i, clean, 0);
  }
}
