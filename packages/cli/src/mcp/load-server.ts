import { createRequire } from "node:module";
import { Script } from "node:vm";
import type * as Mcp from "@hairpin/mcp/index.ts";
import { beside } from "../beside.ts";

declare const HAIRPIN_VERSION: string | undefined;

/** The server and its SDK are a program of their own beside this one, so that other commands do not pay for reading it. */
export async function loadServer(): Promise<typeof Mcp> {
  if (typeof HAIRPIN_VERSION !== "string") return import("@hairpin/mcp/index.ts");
  const start = new Script(beside("mcp.cjs") ?? "", { filename: "mcp.cjs" }).runInThisContext() as Start;
  const loaded = { exports: {} as typeof Mcp };
  start(createRequire(import.meta.url), loaded);
  return loaded.exports;
}

type Start = (require: NodeJS.Require, module: { exports: typeof Mcp }) => void;
