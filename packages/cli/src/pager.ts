import { spawnSync } from "node:child_process";

/** The rows a text takes on a terminal, colours apart. */
function rowsOf(text: string, width: number): number {
  const lines = text.replace(/\u001b\[[0-9;]*m/g, "").split("\n");
  return lines.reduce((n, line) => n + Math.max(1, Math.ceil(line.length / width)), 0);
}

/** As git does: $HAIRPIN_PAGER, $PAGER or less, which leaves at once what fits. `cat` or nothing: no pager. */
const pagerOf = (env: NodeJS.ProcessEnv): string => env.HAIRPIN_PAGER ?? env.PAGER ?? "less";

/** Whether the text was shown by a pager; where it was not, the caller writes it. */
export function paged(text: string, stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv = process.env): boolean {
  const pager = pagerOf(env);
  if (!stream.isTTY || !process.stdin.isTTY || pager === "" || pager === "cat") return false;
  if (rowsOf(text, stream.columns || 80) < (stream.rows || 24)) return false;
  // Its words are the user's own, as for git and man.
  const { error, status } = spawnSync(pager, {
    shell: true,
    input: text,
    stdio: ["pipe", "inherit", "inherit"],
    env: { LESS: "FRX", ...env },
  });
  return error === undefined && status !== 127 && status !== 126;
}
