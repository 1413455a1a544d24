import type { CaseInput } from "@hairpin/core/parse/index.ts";
import { jsonScript } from "@hairpin/web/html/html.ts";

const EMPTY = jsonScript("given", null).text;

/** The page with a case in it, as data that no browser runs: so the page has nothing to fetch. */
export function withCase(page: string, inputs: readonly CaseInput[]): string {
  const files = inputs.map((i) =>
    i.text === undefined ? { path: i.path, base64: bytesOf(i).toString("base64") } : { path: i.path, text: i.text },
  );
  const input = jsonScript("given", { schema: "hairpin/page/1", files, query: {} }).text;
  const at = page.indexOf(EMPTY);
  if (at < 0) throw new Error("the page has no place for a case");
  return `${page.slice(0, at)}${input}${page.slice(at + EMPTY.length)}`;
}

const bytesOf = ({ bytes, pieces }: CaseInput): Buffer =>
  Buffer.concat(bytes === undefined ? [...(pieces?.() ?? [])] : [bytes]);
