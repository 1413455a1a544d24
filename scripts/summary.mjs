// The closing lines of a test run: what was skipped and why, then the count CI reads. Takes one or more vitest reports,
// each as LABEL=FILE.
import { existsSync, readFileSync } from "node:fs";

const runs = process.argv.slice(2).map((argument) => {
  const at = argument.indexOf("=");
  const [label, file] = [argument.slice(0, at), argument.slice(at + 1)];
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  // A run that died before it could report is one failure, not none.
  if (text === "") return { label, passed: 0, failed: 1, skipped: [] };
  const report = JSON.parse(text);
  const tests = report.testResults.flatMap((file) => file.assertionResults);
  const broken = report.testResults.filter((f) => f.status === "failed" && f.assertionResults.length === 0).length;
  return {
    label,
    passed: tests.filter((t) => t.status === "passed").length,
    failed: tests.filter((t) => t.status === "failed").length + broken,
    skipped: tests.filter((t) => t.status !== "passed" && t.status !== "failed").map((t) => t.fullName),
  };
});

const SHOWN = 50;
for (const { label, skipped } of runs) {
  for (const name of skipped.slice(0, SHOWN)) console.log(`SKIPPED (${label}): ${name}`);
  if (skipped.length > SHOWN) console.log(`SKIPPED (${label}): and ${skipped.length - SHOWN} more`);
}
const sum = (count) => runs.reduce((n, run) => n + count(run), 0);
if (!process.env.HAIRPIN_REFERENCE) {
  const first = runs[0]?.skipped.length ?? 0;
  console.log(
    `SKIPPED: HAIRPIN_REFERENCE is not set, so the tests over reference material did not run (${first} skipped in all)`,
  );
}
for (const { label, passed, failed, skipped } of runs) {
  console.log(`${label}: ${passed} passed, ${failed} failed, ${skipped.length} skipped`);
}
console.log(`${sum((r) => r.passed)} passed, ${sum((r) => r.failed)} failed`);
