import { writeFileSync } from "node:fs";
import { check } from "@hairpin/core/check/index.ts";
import type { Diagnosis, LoadedCase, Quote } from "@hairpin/core/diagnose/index.ts";
import { type Lang, text as message } from "@hairpin/core/messages/index.ts";
import { type Assets, reportHtml } from "@hairpin/web/report/report.ts";
import { EXIT, Failure } from "../exit-status.ts";

/** Set by the build, as JSON; run from source, the report has neither style nor script. */
declare const HAIRPIN_REPORT_ASSETS: string | undefined;

const EMPTY = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
export const assets = (): Assets =>
  typeof HAIRPIN_REPORT_ASSETS === "string"
    ? (JSON.parse(HAIRPIN_REPORT_ASSETS) as Assets)
    : { css: "", cssHash: EMPTY, js: "", jsHash: EMPTY };

/** `--html FILE`. */
export function writeHtmlReport(
  file: string,
  loaded: LoadedCase,
  diagnosis: Diagnosis,
  quote: Quote,
  lang: Lang,
): void {
  const { missing } = check(loaded.reading, loaded.inputs);
  const text = reportHtml({ diagnosis, quote, missing }, lang, assets());
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Failure(EXIT.cannotWrite, message("error.html", { value: file, why: (error as Error).message }));
  }
}
