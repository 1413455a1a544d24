import * as z from "zod/mini";
import { caseSchema } from "./case-schema.ts";

/** `schema/case.schema.json`: what may be written in case.yaml, for editors and hooks. The reader of case.yaml asks more than it can say. */
export function caseJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(caseSchema, { io: "input", unrepresentable: "any" });
  return { $schema, $id: "urn:hairpin:schema:case", title: "case.yaml of Hairpin", ...rest };
}
