import { fstatSync, statSync, writeSync } from "node:fs";
import { devNull } from "node:os";
import { basename } from "node:path";
import { langOf } from "./lang.ts";
import { paged } from "./pager.ts";
import { run } from "./program.ts";
import { styleFor } from "./report/style.ts";

/** What a shell shows of a program that a closed pipe ended: 128 and the signal's number. */
const SIGPIPE = 141;

/** Writes all of it before the process may end: stdout can be a pipe whose reader is slow. */
function writeFully(fd: number, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // Who only stopped listening to what goes wrong still gets the answer.
      if (code === "EPIPE" && fd === 2) return;
      // The reader went away (`hairpin … | head`): nobody is left to tell. 0 would say that something was found to work.
      if (code === "EPIPE") process.exit(process.exitCode ?? SIGPIPE);
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Under the names by which kubectl finds a plugin and its completion, the executable is these. */
const PLUGIN: ReadonlyMap<string, readonly string[]> = new Map([
  ["kubectl-hairpin", ["kubectl"]],
  ["kubectl_complete-hairpin", ["kubectl", "complete", "--"]],
]);
const called = PLUGIN.get(basename(process.argv0).replace(/\.exe$/i, "")) ?? [];

/** Whether stdout may be a terminal. Asking process.stdout itself makes Node read all of its streams and sockets first. */
function mayBeTerminal(): boolean {
  try {
    const out = fstatSync(1);
    return out.isCharacterDevice() && out.rdev !== statSync(devNull).rdev;
  } catch {
    return true;
  }
}
const terminal = mayBeTerminal() && process.stdout.isTTY ? process.stdout : undefined;

void run([...called, ...process.argv.slice(2)], {
  write: (text) => writeFully(1, text),
  page: (text) => {
    if (terminal === undefined || !paged(text, terminal)) writeFully(1, text);
  },
  complain: (text) => writeFully(2, `${text}\n`),
  style: styleFor({ isTTY: terminal !== undefined }),
  ...(terminal === undefined ? {} : { width: Math.min(terminal.columns || 80, 120), height: terminal.rows || 24 }),
  lang: langOf(process.env),
  finish: (status) => {
    process.exitCode = status;
  },
});
