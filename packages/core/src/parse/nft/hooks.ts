import type { RegisteredHook } from "../../model/index.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { Claim, DumpContext, Reading } from "../dialect.ts";
import { tool } from "../not-read-yet/not-read-yet.ts";
import { originAt, type Source } from "../source.ts";

const FAMILY = /^family (ip6?|inet|arp|bridge|netdev)(?: hook (\w+)(?: device "?([^\s"{]+)"?)?)? \{\s*$/;
const HOOK = /^\s+hook (\w+)(?: device "?([^\s"{]+)"?)? \{\s*$/;
/** `+0000000010 chain inet m w [nf_tables]`, ` 0000000000 ipt_do_table [ip_tables]` */
const ENTRY = /^\s+([-+ ])?(\d{10})(?: (\S.{0,300}?))?(?:\s+\[([\w-]+)\])?\s*(?:#.*)?$/;
const OBJECT = /^(chain|flowtable) (ip6?|inet|arp|bridge|netdev) (\S+) (\S+)$/;

export const claimHooks = (line: string): Claim => {
  const text = line.slice(0, 400);
  if (FAMILY.test(text)) return "head";
  if (ENTRY.test(text) || HOOK.test(text)) return "line";
  return /^\s*\}\s*$/.test(text) ? "maybe" : "no";
};

export const listsHooks = (words: readonly string[]): boolean =>
  tool(words) === "nft" && words.includes("list") && words.includes("hooks");

/** All families, or those of one: `nft list hooks ip`. */
const listsAllHooks = ({ command, partial }: DumpContext): boolean =>
  partial === undefined && command?.[command.indexOf("hooks") + 1] === undefined;

/**
 * Reads `nft list hooks` (mnl.c:print_hooks(); 0.9.9 and 1.0 wrote family and hook on one line). Up to nft 1.1 those behind the first of
 * one priority are printed backwards (basehook_list_add_tail()), so that of three only the first is sure.
 */
export function readHooks(source: Source, context: DumpContext): Reading {
  const hooks: RegisteredHook[] = [];
  const diagnostics: Diagnostic[] = [];
  let family: RegisteredHook["family"] | undefined;
  let hook: string | undefined;
  let device: string | undefined;
  for (const [index, line] of source.lines.entries()) {
    const text = line.slice(0, 400);
    if (text.trim() === "" || /^\s*[}#]/.test(text)) continue;
    const opens = FAMILY.exec(text);
    if (opens !== null) {
      family = opens[1] as RegisteredHook["family"];
      [hook, device] = [opens[2], opens[3]];
      continue;
    }
    const inner = HOOK.exec(text);
    if (inner !== null) {
      [hook, device] = [inner[1], inner[2]];
      continue;
    }
    const entry = ENTRY.exec(text);
    if (entry === null || family === undefined || hook === undefined) {
      diagnostics.push(
        diagnose(source, index, 0, "nft-hooks-bad-line", "not a function at a hook", { length: line.length }),
      );
      continue;
    }
    const [, sign, digits, what, module] = entry;
    const object = what === undefined ? null : OBJECT.exec(what);
    hooks.push({
      family,
      hook,
      ...(device !== undefined && { device }),
      priority: sign === "-" ? -Number(digits) : Number(digits),
      ...(object !== null && {
        object: {
          kind: object[1] as "chain" | "flowtable",
          family: object[2]!,
          table: object[3]!,
          name: object[4]!,
        },
      }),
      ...(object === null && what !== undefined && { function: what }),
      ...(module !== undefined && { module }),
      origin: originAt(source, index),
    });
  }
  const extent = listsAllHooks(context) ? "whole" : "partial";
  return { facts: [{ kind: "nft-hooks", hooks, extent }], diagnostics, counts: { hooks: hooks.length } };
}
