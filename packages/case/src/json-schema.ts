import { caseSchema } from "./case-schema.ts";
import { jsonSchemaOf } from "./shape.ts";

/** `schema/case.schema.json`: what may be written in case.yaml, for editors and hooks. The reader of case.yaml asks more than it can say. */
export const caseJsonSchema = (): Record<string, unknown> =>
  jsonSchemaOf(caseSchema, "urn:hairpin:schema:case", "case.yaml of Hairpin");
