import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, it } from "vitest";
import { printable } from "../../../core/src/messages/printable.ts";
import { html, jsonScript } from "./html.ts";

const NASTY = [
  "<script>",
  "</script>",
  "<!--",
  "]]>",
  '"',
  "'",
  "&lt;",
  "\u202e",
  "\u001b[31m",
  "\u0000",
  "javascript:",
  "\n",
  "`",
  "中",
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: "binary" })), { maxLength: 8 })
  .map((a) => a.join(""));

const decoded = (markup: string): string =>
  markup.replace(
    /&(lt|gt|quot|amp|#39);/g,
    (_, name: string) => ({ lt: "<", gt: ">", quot: '"', amp: "&", "#39": "'" })[name]!,
  );

describe("markup", () => {
  it("shows any text as that text, in an element and in an attribute", () => {
    fc.assert(
      fc.property(text, (s) => {
        const [, attribute, content] =
          /^<p title="([^"<>]*)">([^"<>]*)<\/p>$/s.exec(html`<p title="${s}">${s}</p>`.text) ?? [];
        expect(attribute).toBe(content);
        expect(decoded(content!)).toBe(printable(s));
      }),
    );
  });

  it("nests, and leaves out what is not there", () => {
    expect(html`<ul>${["a", "<b>"].map((s) => html`<li>${s}</li>`)}${null}${undefined}${false}${0}</ul>`.text).toBe(
      "<ul><li>a</li><li>&lt;b&gt;</li>0</ul>",
    );
  });

  it("holds any data as JSON that no text in it ends", () => {
    fc.assert(
      fc.property(fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null))), (value) => {
        const [, json] =
          /^<script type="application\/json" id="x">([^<]*)<\/script>$/s.exec(jsonScript("x", value).text) ?? [];
        expect(JSON.parse(json!)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/);
      }),
    );
  });
});

describe("what may be shown of a dump", () => {
  it("neither moves a cursor nor hides nor turns what stands beside it", () => {
    fc.assert(
      fc.property(text, (s) => {
        expect(printable(s)).not.toMatch(
          /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/,
        );
        expect(printable(printable(s))).toBe(printable(s));
      }),
    );
    expect(printable("a\tb\u001b[2Jc\u202ed")).toBe("a b·[2Jc·d");
  });
});
