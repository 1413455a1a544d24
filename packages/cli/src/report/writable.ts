import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { text } from "@hairpin/core/messages/index.ts";
import { reason } from "../case/reason.ts";
import { EXIT, Failure } from "../exit-status.ts";

/** A file that an option names, `-` or `true` for standard output. */
export type Target = readonly [option: string, file: string | true | undefined];

/** Before work of minutes or hours: what it would come to could not be written there. */
export function refuseUnwritable(targets: readonly Target[]): void {
  for (const [name, file] of targets) {
    if (typeof file !== "string" || file === "-") continue;
    try {
      const there = statSync(file, { throwIfNoEntry: false });
      if (there?.isDirectory() === true) throw Object.assign(new Error(), { code: "EISDIR" });
      accessSync(there === undefined ? dirname(file) : file, constants.W_OK);
    } catch (error) {
      throw new Failure(EXIT.cannotWrite, text("error.option", { name, value: file, why: reason(error) }));
    }
  }
}
