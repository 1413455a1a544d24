// The closing lines of a test run: what was skipped and why, then the count CI reads.
import { readFileSync } from "node:fs";

const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
const tests = report.testResults.flatMap((file) => file.assertionResults);
const count = (...states) => tests.filter((t) => states.includes(t.status)).length;
const broken = report.testResults.filter(
  (file) => file.status === "failed" && file.assertionResults.length === 0,
).length;
const skipped = tests.filter((t) => t.status !== "passed" && t.status !== "failed");
for (const t of skipped.slice(0, 50)) console.log(`SKIPPED: ${t.fullName}`);
if (!process.env.HAIRPIN_REFERENCE) console.log("SKIPPED: reference material (HAIRPIN_REFERENCE is not set)");
console.log(`${count("passed")} passed, ${count("failed") + broken} failed, ${skipped.length} skipped`);
