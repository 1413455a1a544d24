// Writes which bundled case shows which cause, from what their case.yaml expects; test/explain/lessons.test.ts compares.
import { writeFileSync } from "node:fs";
import { workedCasesSource } from "../test/explain/worked-cases.ts";

writeFileSync(
  new URL("../packages/core/src/explain/lessons/worked-cases.ts", import.meta.url),
  workedCasesSource(new URL("../cases/", import.meta.url)),
);
