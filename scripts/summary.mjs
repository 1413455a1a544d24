// The closing lines of a test run: what was skipped and why, what failed, then the count CI reads. Takes one or more vitest reports,
// each as LABEL=FILE. With --strict a test that was skipped counts as failed, unless test/may-skip.json names it: where
// everything can be installed, "not asked" is no result.
import { existsSync, readFileSync } from "node:fs";
import { relative, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const strict = process.argv.includes("--strict");
const reference = Boolean(process.env.HAIRPIN_REFERENCE);

/** The few tests that may be skipped where everything was installed: the file, how the test's full name starts, why. */
const maySkip = JSON.parse(readFileSync(resolve(root, "test/may-skip.json"), "utf8"));

/** Tests over reference material run only where there is some. */
const overReference = (file) => existsSync(file) && /from "[^"]*\/reference\.ts"/.test(readFileSync(file, "utf8"));

function excuse(file, name) {
  if (!reference && overReference(file)) return "no reference material (HAIRPIN_REFERENCE)";
  return maySkip.find((row) => relative(root, file) === row.file && name.startsWith(row.test))?.why;
}

const runs = process.argv
  .slice(2)
  .filter((argument) => argument !== "--strict")
  .map((argument) => {
    const at = argument.indexOf("=");
    const [label, file] = [argument.slice(0, at), argument.slice(at + 1)];
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    // A run that died before it could report is one failure, not none.
    if (text === "")
      return { label, passed: 0, failures: [{ name: "the run itself", why: "no report" }], excused: [], skipped: [] };
    const report = JSON.parse(text);
    const tests = report.testResults.flatMap((file) => file.assertionResults);
    const broken = report.testResults
      .filter((f) => f.status === "failed" && f.assertionResults.length === 0)
      .map((f) => ({ name: relative(root, f.name), why: f.message }));
    const failed = report.testResults.flatMap((file) =>
      file.assertionResults
        .filter((t) => t.status === "failed")
        .map((t) => ({ name: `${relative(root, file.name)}: ${t.fullName}`, why: t.failureMessages.join("\n") })),
    );
    const left = report.testResults.flatMap((file) =>
      file.assertionResults
        .filter((t) => t.status !== "passed" && t.status !== "failed")
        .map((t) => ({ name: `${relative(root, file.name)}: ${t.fullName}`, why: excuse(file.name, t.fullName) })),
    );
    return {
      label,
      passed: tests.filter((t) => t.status === "passed").length,
      failures: [...failed, ...broken],
      excused: left.filter((t) => t.why !== undefined),
      skipped: left.filter((t) => t.why === undefined),
    };
  });

const SHOWN = 50;
for (const { label, excused, skipped } of runs) {
  const reasons = new Map();
  for (const { why } of excused) reasons.set(why, (reasons.get(why) ?? 0) + 1);
  for (const [why, count] of reasons) console.log(`SKIPPED (${label}): ${count}: ${why}`);
  const word = strict ? "SKIPPED, WHICH FAILS HERE" : "SKIPPED";
  for (const { name } of skipped.slice(0, SHOWN)) console.log(`${word} (${label}): ${name}`);
  if (skipped.length > SHOWN) console.log(`${word} (${label}): and ${skipped.length - SHOWN} more`);
}
for (const { label, failures } of runs)
  for (const { name, why } of failures.slice(0, SHOWN)) {
    console.log(`FAILED (${label}): ${name}`);
    for (const line of why.split("\n").slice(0, 12)) console.log(`    ${line}`);
  }
const countFailed = (run) => run.failures.length + (strict ? run.skipped.length : 0);
for (const run of runs) {
  const skipped = run.excused.length + (strict ? 0 : run.skipped.length);
  console.log(`${run.label}: ${run.passed} passed, ${countFailed(run)} failed, ${skipped} skipped`);
}
const sum = (count) => runs.reduce((n, run) => n + count(run), 0);
console.log(`${sum((r) => r.passed)} passed, ${sum(countFailed)} failed`);
process.exit(sum(countFailed) === 0 ? 0 : 1);
