import { jsonText } from "@hairpin/core/messages/printable.ts";
import { inExecutable } from "../beside.ts";
import { VERSION } from "../version.ts";
import type { Register } from "./command.ts";

/** What this release prints or reads, as `schema/` describes it. */
export const SCHEMAS = {
  diagnosis: "hairpin/diagnosis/1",
  trace: "hairpin/trace/1",
  check: "hairpin/check/1",
  sweep: "hairpin/sweep/1",
  version: "hairpin/version/1",
  case: "hairpin/case/1",
  expect: "hairpin/expect/1",
} as const;

const formOf = (): string => (VERSION.endsWith("-source") ? "source" : inExecutable() ? "executable" : "package");

export const version: Register = (program, surface) => {
  program
    .command("version")
    .summary("the version, and which schemas it speaks")
    .description(
      "Prints the version; with --json, also what it runs on, how it was installed, and the versions of its schemas.",
    )
    .option("--json", "print one JSON object")
    .action((options: { readonly json?: boolean }) => {
      const { version: node, platform, arch } = process;
      const told = {
        schema: SCHEMAS.version,
        version: VERSION,
        node,
        platform,
        arch,
        form: formOf(),
        schemas: SCHEMAS,
      };
      surface.write(options.json ? `${jsonText(told, 2)}\n` : `${VERSION}\n`);
      surface.finish(0);
    });
};
