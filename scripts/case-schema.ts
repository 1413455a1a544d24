// Writes schema/case.schema.json from the schema by which case.yaml is read.
import { writeFileSync } from "node:fs";
import { caseJsonSchema } from "@hairpin/case/json-schema.ts";

writeFileSync(new URL("../schema/case.schema.json", import.meta.url), `${JSON.stringify(caseJsonSchema(), null, 2)}\n`);
