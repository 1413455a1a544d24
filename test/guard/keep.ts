import { spawn } from "node:child_process";
import { say, verbatim } from "../../packages/core/src/messages/index.ts";
import { apply, itemsOf, Trouble } from "../../packages/guard/src/index.ts";
import { backendInUse } from "../../packages/guard/src/iptables-tool.ts";

/** Puts commands on the node as `guard --apply` does once a walk has proved them: here every kind of them, needed or not. */
const [program = "", state = "", seconds = "", ...commands] = process.argv.slice(2);
try {
  const kept = { code: "TEST", summary: "a test", node: "here", commands, backend: backendInUse() };
  const { refused } = itemsOf(commands, () => kept.backend);
  if (refused.length > 0) throw new Trouble(verbatim(refused.map((r) => say(r)).join("\n")));
  const { lines } = apply(state, kept, Number(seconds) * 1000, () => {
    spawn(process.execPath, [program, "guard", "--expire", "--state", state], {
      detached: true,
      stdio: "ignore",
    }).unref();
  });
  console.log(lines.map((l) => say(l)).join("\n"));
} catch (error) {
  if (!(error instanceof Trouble)) throw error;
  console.error(error.message);
  process.exitCode = 69;
}
