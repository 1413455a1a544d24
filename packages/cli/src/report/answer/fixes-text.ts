import { proofText, type Tried } from "@hairpin/core/diagnose/index.ts";
import { say, text } from "@hairpin/core/messages/index.ts";
import type { Fix } from "@hairpin/core/remedy/index.ts";
import type { PageOfText } from "../page-of-text.ts";
import type { TextOptions } from "./diagnosis-text.ts";
import { endText, headlineOf } from "./verdict-text.ts";

const MAX_CHANGES = 5;

/** What a fix costs, which other flows it changes, and how it persists; what to type stands above. */
export function fixDetails(page: PageOfText, fix: Fix, label: string, options: TextOptions): void {
  const { lang, style, verbose } = options;
  proofLines(page, fix, options, label);
  for (const c of fix.costs) page.say("", `- ${say(c, lang)}`);
  for (const { how, lines } of verbose ? fix.lasting : fix.lasting.slice(0, 1)) {
    page.say("", say(text("terminal.lasting", { how }), lang), style.dim);
    // The file of a unit is for -v.
    if (verbose || lines.length <= 2) for (const line of lines) page.quote(line, style.dim);
  }
}

/** A fix in full: what to type, the proof, what it costs, and the way back. */
function fixText(page: PageOfText, fix: Fix, label: string, options: TextOptions): void {
  const { lang, style } = options;
  page.say(label, say(text("terminal.fix-named", { summary: fix.summary, code: fix.code }), lang));
  atRootLines(page, fix, options);
  for (const c of fix.commands) page.quote(c, fix.atRoot === undefined ? style.bold : style.dim);
  for (const c of fix.undo) page.quote(say(text("terminal.undo", { command: c }), lang), style.dim, 0);
  fixDetails(page, fix, "", options);
}

function proofLines(page: PageOfText, { proof }: Fix, { lang, style }: TextOptions, label = ""): void {
  const { flowsChanged, flowsChecked } = proof;
  const changed =
    flowsChanged.length === 0
      ? text("terminal.none-change")
      : text("terminal.some-change", { count: flowsChanged.length });
  page.say(label, say(text("terminal.walked", { verdict: proofText(proof), checked: flowsChecked, changed }), lang));
  for (const f of flowsChanged.slice(0, MAX_CHANGES))
    page.say("", `- ${endText(f.from)} → ${endText(f.to)}, ${f.proto}: ${say(f.detail, lang)}`, style.dim, 2);
  if (flowsChanged.length > MAX_CHANGES)
    page.say("", say(text("terminal.more", { count: flowsChanged.length - MAX_CHANGES }), lang), style.dim, 2);
}

/** A fix beside the first: in full with -v, else its name and what to type. */
export function otherFixText(page: PageOfText, fix: Fix, label: string, options: TextOptions): void {
  const { lang, style, verbose } = options;
  if (verbose) {
    fixText(page, fix, label, options);
    return;
  }
  const then = fix.proof.verdict === "reachable" ? "" : ` (${say(text(`verdict.${fix.proof.verdict}`), lang)})`;
  page.say(label, `${say(text("terminal.fix-named", { summary: fix.summary, code: fix.code }), lang)}${then}`);
  atRootLines(page, fix, options);
  for (const c of fix.commands) page.quote(c, style.dim);
}

/** The cure in the object that is wrong stands before what is typed on a node meanwhile. */
export function atRootLines(page: PageOfText, { atRoot }: Fix, { lang, style }: TextOptions): void {
  if (atRoot === undefined) return;
  page.say("", say(text("terminal.at-root", { how: atRoot.how }), lang));
  for (const line of atRoot.lines) page.quote(line, style.bold);
  page.say("", say(text("terminal.meanwhile"), lang), style.dim);
}

/** A patch that was typed: the verdict with it, what of it does nothing, and the nearest rule that would match. */
export function triedText(
  page: PageOfText,
  { patch, judgement, fix }: Tried,
  label: string,
  options: TextOptions,
): void {
  const { lang } = options;
  page.say(label, `${patch}: ${headlineOf(judgement, lang)}`);
  if (fix === undefined) return;
  for (const r of fix.remarks) page.say("", `- ${say(r, lang)}`);
  proofLines(page, fix, options);
  if (fix.proof.verdict === "reachable") for (const c of fix.costs) page.say("", `- ${say(c, lang)}`);
  if (fix.nearest !== undefined) fixText(page, fix.nearest, "", options);
}
