import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { hairpin } from "../check/surface.ts";
import { silentProgram } from "./command-line.ts";
import { commandsOf, type DocumentCommand } from "./commands-of.ts";

const root = resolve(import.meta.dirname, "../..");
const markdownUnder = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
const documents = ["README.md", "README.zh.md", ...markdownUnder("docs")].filter((file) =>
  existsSync(join(root, file)),
);
const all = documents.flatMap((file) => commandsOf(file, readFileSync(join(root, file), "utf8")));

/** Commands that wait, listen, or act on the machine: these are only held against the command line's own grammar. */
const ACTS = new Set(["serve", "mcp", "live", "collect", "guard", "lab"]);
const operands = ({ args }: DocumentCommand): readonly string[] =>
  args.slice(1).filter((a) => /^(?:cases|docs)\//.test(a));
const runs = (command: DocumentCommand): boolean =>
  !ACTS.has(command.args[0] ?? "") &&
  (["explain", "version", "man", "completion"].includes(command.args[0] ?? "") || operands(command).length > 0);

/** The command line with every action taken out: what it says of a line of words. */
async function faultOf(args: readonly string[]): Promise<string | undefined> {
  const program = silentProgram();
  const quiet = (command: Command): void => {
    command
      .exitOverride()
      .configureOutput({ writeErr: () => {}, writeOut: () => {} })
      .action(() => {});
    command.commands.forEach(quiet);
  };
  program.commands.forEach(quiet);
  try {
    await program.parseAsync([...args], { from: "user" });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface Tried {
  readonly fixes: readonly { readonly code: string; readonly proof: { readonly verdict: string } }[];
}

const label = (c: DocumentCommand): string => `${c.file}:${c.line} ${c.text}`;

describe("every command of the documents", () => {
  test("there are some, and some of each kind", () => {
    expect(all.filter(runs).length).toBeGreaterThan(25);
    expect(all.filter((c) => !runs(c)).length).toBeGreaterThan(10);
  });

  test("is one that the command line takes", async () => {
    const refused = await Promise.all(all.map(async (c) => [label(c), await faultOf(c.args)] as const));
    expect(refused.filter(([, fault]) => fault !== undefined)).toEqual([]);
  });

  // The same line in another document runs once.
  const once = [...new Map(all.filter(runs).map((c) => [`${c.args.join(" ")} ${c.status ?? ""}`, c])).values()];
  test.each(once.map((c) => [label(c), c] as const))("%s", async (_, { args, status, withIt }) => {
    const before = process.cwd();
    process.chdir(root);
    try {
      const ran = await hairpin(...args);
      expect(ran.out.length).toBeGreaterThan(0);
      if (withIt === undefined) {
        // Without a remark it has to work; a document that shows a failure says so.
        expect([ran.status, ran.err]).toEqual([status ?? 0, ""]);
      } else {
        const { fixes } = JSON.parse((await hairpin(...args, "--json")).out) as Tried;
        expect([fixes[0]?.code, fixes[0]?.proof.verdict]).toEqual(["TRIED", withIt]);
      }
    } finally {
      process.chdir(before);
    }
  });
});

/** Namespaces need root; `scripts/test.sh` runs as root. */
describe.skipIf(process.getuid?.() !== 0)("what the tutorial does in the lab", () => {
  const labs = all.filter((c) => c.file === "docs/tutorial.md" && c.args[0] === "lab");
  test.each(labs.map((c) => [label(c), c] as const))("%s", async (_, { args }) => {
    const before = process.cwd();
    process.chdir(root);
    try {
      expect((await hairpin(...args)).status).toBe(0);
    } finally {
      process.chdir(before);
    }
  });
});

describe("every link of the documents", () => {
  test.each(documents)("%s leads to a file", (file) => {
    const text = readFileSync(join(root, file), "utf8").replace(/```[\s\S]*?```/g, "");
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((m) => (m[1] ?? "").split("#")[0] ?? "");
    const broken = targets.filter((t) => t !== "" && !/^[a-z]+:/.test(t) && !existsSync(resolve(root, file, "..", t)));
    expect(broken).toEqual([]);
  });
});
