// Writes schema/case.schema.json and schema/expect.schema.json from the schemas by which case.yaml and expectations are read.
import { writeFileSync } from "node:fs";
import { expectJsonSchema } from "@hairpin/case/index.ts";
import { caseJsonSchema } from "@hairpin/case/json-schema.ts";

const write = (name: string, schema: unknown): void =>
  writeFileSync(new URL(`../schema/${name}.schema.json`, import.meta.url), `${JSON.stringify(schema, null, 2)}\n`);
write("case", caseJsonSchema());
write("expect", expectJsonSchema());
