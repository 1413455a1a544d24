import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "../../packages/cli/src/program.ts";
import { styleFor } from "../../packages/cli/src/report/style.ts";

export interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process, its output caught. */
export async function hairpin(...args: readonly string[]): Promise<Ran> {
  let out = "";
  let err = "";
  let status = 0;
  await run(args, {
    write: (text) => {
      out += text;
    },
    complain: (text) => {
      err += `${text}\n`;
    },
    style: styleFor({ isTTY: false }, {}),
    lang: "en",
    finish: (code) => {
      status = code;
    },
  });
  return { status, out, err };
}

/** A folder for one test, made of paths and texts; removed by the caller. */
export function folderOf(files: Readonly<Record<string, string | Buffer>>): {
  readonly path: string;
  readonly remove: () => void;
} {
  const path = mkdtempSync(join(tmpdir(), "hairpin-test-"));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
