import {
  type Match,
  type Origin,
  proxyChain,
  type Rule,
  type Target,
  type UnknownMatch,
} from "../../../model/index.ts";
import { append } from "../../../net/append.ts";
import type { Report, RuleSetting } from "../rule/reader.ts";
import { commonRule, fullRule, STANDARD } from "../rule/record.ts";
import { findTarget } from "../rule/registry.ts";
import { readRule } from "../rule/rule.ts";
import type { RowHead } from "./columns.ts";
import { MATCHES } from "./matches.ts";
import { TARGETS, type TargetRewrite } from "./targets.ts";
import { type Token, Translation, tokens } from "./tokens.ts";

/** One line of `iptables -L`, turned into the words that would have made it and read like those. */
export function readRow(
  line: string,
  head: RowHead,
  setting: Omit<RuleSetting, "report">,
  say: (severity: "warning" | "error", code: string, message: string, start: number, end: number) => void,
): Rule {
  const t = new Translation(line, tokens(line, head.rest));
  const words = { line, texts: [] as string[], starts: [] as number[], ends: [] as number[], made: true };
  const push = (cell: { start: number; end: number }, ...texts: readonly string[]): void => {
    for (const text of texts) {
      words.texts.push(text);
      words.starts.push(cell.start);
      words.ends.push(cell.end);
    }
  };
  const negatable = (option: string, cell: { text: string; start: number; end: number } | undefined, all: string) => {
    if (cell === undefined || cell.text === all) return;
    const negated = cell.text.startsWith("!");
    if (negated) push(cell, "!");
    push(cell, option, negated ? cell.text.slice(1) : cell.text);
  };
  const anywhere = setting.family === 4 ? "0.0.0.0/0" : "::/0";
  if (head.source.text !== "anywhere") negatable("-s", head.source, anywhere);
  if (head.destination.text !== "anywhere") negatable("-d", head.destination, anywhere);
  negatable("-i", anyDevice(head.in), "*");
  negatable("-o", anyDevice(head.out), "*");
  if (head.protocol.text !== "all" && head.protocol.text !== "0") negatable("-p", head.protocol, "all");
  if (head.fragment !== undefined) push(head.protocol, ...(head.fragment === "!f" ? ["!", "-f"] : ["-f"]));

  const goto = t.textAt() === "[goto]";
  if (goto) t.skip();
  // NOTRACK is CT with a flag, and is listed under that name.
  const notrack = head.target?.text === "CT" && t.textAt() === "NOTRACK" && t.peek(1) === undefined;
  if (notrack) t.skip();
  const name = notrack ? "NOTRACK" : head.target?.text;
  const known = name !== undefined && (STANDARD.has(name) || findTarget(name, setting.family) !== undefined);
  const targetWords = new Translation(line, []);
  const unread: UnknownMatch[] = [];
  const extension = known && !STANDARD.has(name);
  const atEnd = translate(t, extension ? TARGETS.get(name) : undefined, targetWords, unread, say);
  // The target's options stand last: what nobody can read there may be one of them.
  const unreadable = extension && atEnd;
  for (const [i, text] of t.texts.entries()) push({ start: t.starts[i]!, end: t.ends[i]! }, text);
  if (head.target !== undefined && !unreadable) push(head.target, goto ? "-g" : "-j", name ?? "");
  for (const [i, text] of unreadable ? [] : targetWords.texts.entries())
    push({ start: targetWords.starts[i]!, end: targetWords.ends[i]! }, text);

  const report: Report = (severity, code, message, word) => {
    if (severity !== "note") say(severity, code, message, words.starts[word] ?? 0, words.ends[word] ?? 0);
  };
  const rule = readRule(words, 0, { ...setting, report })[0]!;
  // Without -v there is no telling an interface from none, but for who is known to write its rules without one.
  const lossy = head.in === undefined && proxyChain(setting.chain ?? "") === undefined ? true : undefined;
  if (unreadable) {
    const text = `-j ${name} ${unread.map((one) => one.text).join(" ")}`;
    return finish(rule, rule.matches, { kind: "unknown", name, text }, head, lossy, setting.origin);
  }
  const matches = unread.length === 0 ? rule.matches : [...rule.matches, ...unread];
  return finish(rule, matches, rule.target, head, lossy, setting.origin);
}

const anyDevice = <T extends { readonly text: string }>(cell: T | undefined): T | undefined =>
  cell?.text === "any" ? undefined : cell;

function finish(
  rule: Rule,
  matches: readonly Match[],
  target: Target,
  head: RowHead,
  lossy: true | undefined,
  origin: Origin,
): Rule {
  const { source, destination, inInterface, outInterface, protocol } = rule;
  return fullRule(commonRule(source, destination, inInterface, outInterface, protocol, matches, target, origin), {
    // -n prints numbers where iptables-save prints names.
    protocolName: undefined,
    fragment: rule.fragment,
    counters: head.counters,
    lossy,
  });
}

type Complain = (severity: "warning", code: string, message: string, start: number, end: number) => void;

/** Matches go to `t`, the target's options to `targetWords`; true if text that nobody can read stands at the end. */
function translate(
  t: Translation,
  rewriteTarget: TargetRewrite | undefined,
  targetWords: Translation,
  unread: UnknownMatch[],
  say: Complain,
): boolean {
  let open: { readonly from: Token; to: Token } | undefined;
  const close = () => {
    if (open !== undefined) unread.push(unknownText(t.line, open.from, open.to, say));
    open = undefined;
  };
  for (let token = t.peek(); token !== undefined; token = t.peek()) {
    if (readPart(t, token, rewriteTarget, targetWords)) {
      close();
      continue;
    }
    t.skip();
    if (open === undefined) open = { from: token, to: token };
    else open.to = token;
  }
  const atEnd = open !== undefined;
  close();
  return atEnd;
}

function readPart(
  t: Translation,
  token: Token,
  rewriteTarget: TargetRewrite | undefined,
  targetWords: Translation,
): boolean {
  const position = t.position;
  const written = t.texts.length;
  if (token.comment) {
    t.skip();
    t.write("-m", "comment", "--comment", token.text);
    return true;
  }
  if (rewriteTarget?.(t)) {
    moveWords(t, written, targetWords);
    return true;
  }
  const negated = token.text === "!" && MATCHES.has(t.textAt(1));
  if (negated) t.skip();
  if (MATCHES.get(t.textAt())?.(t, negated)) return true;
  t.position = position;
  t.texts.length = written;
  t.starts.length = written;
  t.ends.length = written;
  return false;
}

function moveWords(t: Translation, from: number, to: Translation): void {
  append(to.texts, t.texts.splice(from));
  append(to.starts, t.starts.splice(from));
  append(to.ends, t.ends.splice(from));
}

function unknownText(line: string, from: Token, to: Token, say: Complain): UnknownMatch {
  const text = line.slice(from.start, to.end);
  const message = `"${text.slice(0, 80)}" is not understood and kept as text`;
  say("warning", "iptables-unknown-text", message, from.start, to.end);
  return { kind: "unknown", name: from.text, text };
}
