import { printable } from "@hairpin/core/messages/printable.ts";
import { lookup } from "@hairpin/core/model/lookup.ts";

/** Markup that was made by {@link html} and needs no escaping any more. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Content = string | number | Html | null | undefined | false | readonly Content[];

const ESCAPES: Readonly<Record<string, string>> = lookup({
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
});

/** Text as it may stand in markup and in quoted attributes, whatever it holds. */
export const escapeHtml = (text: string): string => printable(text).replace(/[&<>"']/g, (c) => ESCAPES[c]!);

function markup(content: Content): string {
  if (content === null || content === undefined || content === false) return "";
  if (content instanceof Html) return content.text;
  if (typeof content === "object") return content.map(markup).join("");
  return escapeHtml(String(content));
}

/** A template whose values are escaped, unless they are markup themselves. Attributes must be in quotes. */
export const html = (strings: TemplateStringsArray, ...values: readonly Content[]): Html =>
  new Html(strings.reduce((out, s, i) => out + markup(values[i - 1]) + s));

const escapeCode = (c: string): string => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** JSON inside a script element: no text in it can end the element, or turn the direction of what is read beside it. */
export const jsonScript = (id: string, value: unknown): Html =>
  new Html(
    `<script type="application/json" id="${id}">${JSON.stringify(value).replace(/[<\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, escapeCode)}</script>`,
  );
