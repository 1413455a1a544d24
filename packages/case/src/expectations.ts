import { type Expectation, OUTCOMES } from "@hairpin/core/sweep/index.ts";
import { isSeq, LineCounter, parseDocument } from "yaml";
import { BadCaseFile } from "./case-file.ts";
import { brokenYaml, complaintText, deepest } from "./complaint.ts";
import * as z from "./shape.ts";

const text = z.text({ longest: 1000 });

/** One line of an expectations file. Unknown keys are errors. */
const expectation = z.object({
  name: z.optional(text),
  from: text,
  to: text,
  expect: z.oneOf(OUTCOMES),
  proto: z.optional(z.oneOf(["tcp", "udp", "sctp", "icmp"])),
  family: z.optional(z.either(z.exactly(4), z.exactly(6))),
  via: z.optional(z.oneOf(["clusterip", "nodeport", "loadbalancer", "external"])),
  node: z.optional(text),
  seesClientAddress: z.optional(z.boolean),
  viaNode: z.optional(text),
});
const expectations = z.list(expectation);

/** `schema/expect.schema.json`: for editors and hooks. */
export const expectJsonSchema = (): Record<string, unknown> =>
  z.jsonSchemaOf(expectations, "urn:hairpin:schema:expect", "expectations of Hairpin");

/** Reads and checks a file of expectations; errors carry file and line. */
export function readExpectations(file: string, source: string): readonly Expectation[] {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const [broken] = document.errors;
  if (broken !== undefined) throw new BadCaseFile(brokenYaml(file, lines.linePos(broken.pos[0]).line, broken.message));
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 }) ?? [];
  } catch (error) {
    throw new BadCaseFile(brokenYaml(file, 1, error instanceof Error ? error.message : String(error)));
  }
  const lineOf = (index: number): number => {
    const item = isSeq(document.contents) ? document.contents.items[index] : undefined;
    const range = (item as { readonly range?: readonly number[] } | undefined)?.range;
    return range === undefined ? 1 : lines.linePos(range[0]!).line;
  };
  const checked = z.checked(expectations, value);
  if ("issues" in checked) {
    const complaints = checked.issues.slice(0, 10).map((issue) => {
      const [[index, ...rest], what] = deepest(issue);
      return complaintText(file, typeof index === "number" ? lineOf(index) : 1, rest, what);
    });
    throw new BadCaseFile(complaints);
  }
  return checked.value.map((one, i) => ({ ...one, line: lineOf(i) }));
}
