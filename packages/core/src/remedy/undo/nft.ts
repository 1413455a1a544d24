import type { NftChain, NftRule, NftSet, NftTable } from "../../model/index.ts";
import { shellLine, shellWord } from "../../model/shell.ts";
import { append } from "../../net/append.ts";
import { printElement, printNftRule } from "../../parse/nft/print.ts";
import type { Undo } from "./index.ts";

/**
 * What takes nft commands back, told from the tables before and after. nft deletes rules by handles, which nobody knows before they
 * are there: they are looked up by the rule's comment, or by its place.
 */
export function undoNft(before: readonly NftTable[], after: readonly NftTable[]): Undo {
  const commands: string[] = [];
  const unknown: string[] = [];
  const key = (t: NftTable): string => `${t.family} ${t.name}`;
  for (const table of after) {
    const was = before.find((t) => key(t) === key(table));
    if (was === undefined) commands.push(shellLine(["nft", "delete", "table", table.family, table.name]));
    else if (was !== table) {
      for (const chain of table.chains) append(commands, undoChain(table, was.chains.find(sameName(chain)), chain));
      for (const set of table.sets) append(commands, undoSet(table, was.sets.find(sameName(set)), set));
      const lost = [...was.chains, ...was.sets].filter((x) => ![...table.chains, ...table.sets].some(sameName(x)));
      append(
        unknown,
        lost.map((x) => `nft ${key(table)} ${x.name}`),
      );
    }
  }
  const gone = before.filter((t) => !after.some((u) => key(u) === key(t)));
  return { commands, unknown: [...unknown, ...gone.map((t) => `nft ${key(t)}`)] };
}

const sameName =
  (a: { readonly name: string }) =>
  (b: { readonly name: string }): boolean =>
    a.name === b.name;

function undoChain(table: NftTable, was: NftChain | undefined, now: NftChain): readonly string[] {
  const at = [table.family, table.name, now.name];
  if (was === undefined) return [shellLine(["nft", "delete", "chain", ...at])];
  const commands: string[] = [];
  if (was.base?.policy !== now.base?.policy && was.base !== undefined)
    commands.push(shellLine(["nft", "chain", ...at, `{ policy ${was.base.policy} ; }`]));
  const added = now.rules.filter((r) => !was.rules.includes(r));
  // From the last on, so that places hold.
  for (const rule of [...added].reverse()) commands.push(deletion(at, rule, now.rules.indexOf(rule)));
  const kept = was.rules.filter((r) => now.rules.includes(r));
  for (const [i, rule] of was.rules.entries()) {
    if (kept.includes(rule)) continue;
    const place = i === 0 ? ["insert", "rule", ...at] : ["add", "rule", ...at, "index", String(i - 1)];
    commands.push(shellLine(["nft", ...place, printNftRule(rule)]));
  }
  return [...new Set(commands)];
}

const PLAIN = /^[\w./-]+$/;

/** `nft -a list chain …` prints the handles; the second and later of them are the rules'. */
function deletion(at: readonly string[], rule: NftRule, index: number): string {
  const list = shellLine(["nft", "-a", "list", "chain", ...at]);
  const remove = `delete rule ${at.join(" ")} handle`;
  const known = rule.comment !== undefined && PLAIN.test(rule.comment) && at.every((word) => PLAIN.test(word));
  if (known)
    return `${list} | sed -n ${shellWord(`s,.* comment "${rule.comment}" # handle \\([0-9]*\\)$,${remove} \\1,p`)} | nft -f -`;
  const handles = `${list} | sed -n ${shellWord("s,.*# handle \\([0-9]*\\)$,\\1,p")} | sed -n ${index + 2}p`;
  return `${shellLine(["nft", "delete", "rule", ...at, "handle"])} "$(${handles})"`;
}

function undoSet(table: NftTable, was: NftSet | undefined, now: NftSet): readonly string[] {
  const at = [table.family, table.name, now.name];
  if (was === undefined) return [shellLine(["nft", "delete", now.kind === "map" ? "map" : "set", ...at])];
  if (was === now) return [];
  const elements = (from: NftSet, others: NftSet): string =>
    from.elements
      .filter((e) => !others.elements.includes(e))
      .map(printElement)
      .join(", ");
  const added = elements(now, was);
  const lost = elements(was, now);
  return [
    ...(added === "" ? [] : [shellLine(["nft", "delete", "element", ...at, `{ ${added} }`])]),
    ...(lost === "" ? [] : [shellLine(["nft", "add", "element", ...at, `{ ${lost} }`])]),
  ];
}
