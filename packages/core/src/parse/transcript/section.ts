import type { Claims } from "./claims.ts";
import type { Echo, EchoedCommand } from "./echo.ts";
import { isBlank, type Page } from "./page.ts";
import { isTypedCommand } from "./prompt.ts";
import { type ShellContext, within } from "./session.ts";
import { commandsOf } from "./shell-words.ts";
import { unwrap } from "./wrapper.ts";

/** What a file's path says about a part of a text that is headed by it. */
export interface PathHint {
  readonly command?: EchoedCommand;
  readonly place: ShellContext;
}

/** `==> nodes/a/ip-rule.txt <==`, as head(1) and tail(1) print for several files. */
const FILE_HEAD = /^==> (.{1,300}) <==\s*$/;
/** `node1 | CHANGED | rc=0 >>`, as ansible prints. */
const ANSIBLE_HEAD = /^(\S{1,253}) \| (?:CHANGED|SUCCESS|FAILED|UNREACHABLE)\b[^>]{0,80}>>\s*$/;
/** `===== ip rule =====`, `### ip rule`, `+ ip rule`, `Command: ip rule`, `--- Output of ip rule ---`. */
const DECORATION = /^[\s=\-#*+>~:|]{0,80}(?:(?:output of|command|cmd|running|executing|run|exec)\s?:?\s+)?["'`]?/i;
const TAIL = /["'`]?[\s=\-#*+<~:|]{0,80}$/;

/** The command a line consists of, decoration taken off. */
function bareCommands(line: string, here: ShellContext): readonly EchoedCommand[] {
  const text = line.replace(DECORATION, "").replace(TAIL, "");
  if (!isTypedCommand(text)) return [];
  return commandsOf(text).map((simple) => {
    const inner = unwrap(simple.words);
    return { simple, words: inner.words, place: within(here, inner) };
  });
}

const nextLine = (page: Page, from: number): number | undefined => {
  for (let i = from + 1; i < page.texts.length && i <= from + 3; i++) {
    if (page.frame[i] !== 0 || page.blocks[i] !== page.blocks[from]) return undefined;
    if (!isBlank(page.texts[i]!)) return i;
  }
  return undefined;
};

/**
 * Headings that stand for a command without being a prompt: the names of files, of ansible's hosts, and commands that stand
 * alone on a line above output that is theirs.
 */
export function addSections(
  page: Page,
  claims: Claims,
  echoes: Map<number, Echo>,
  dialectsOf: (words: readonly string[]) => readonly number[],
  pathHint: (path: string) => PathHint,
): void {
  let here: ShellContext = {};
  let block = 0;
  let playbook: readonly EchoedCommand[] = [];
  for (let i = 0; i < page.texts.length; i++) {
    if (page.frame[i] !== 0) continue;
    if (page.blocks[i] !== block) {
      block = page.blocks[i]!;
      here = {};
    }
    const prompt = echoes.get(i);
    if (prompt !== undefined) {
      here = prompt.place;
      playbook = prompt.commands.filter((c) => c.simple.words.some((w) => /(?:^|\/)ansible$/.test(w)));
      i = prompt.lines[prompt.lines.length - 1]!;
      continue;
    }
    const text = page.texts[i]!;
    if (text.length > 400 || text.length < 2) continue;
    const add = (place: ShellContext, commands: readonly EchoedCommand[]) => {
      echoes.set(i, { lines: [i], columns: [0], text, place, commands });
    };
    const file = FILE_HEAD.exec(text);
    if (file !== null) {
      const { place, command } = pathHint(file[1]!);
      add(place, command === undefined ? [] : [{ ...command, place }]);
      continue;
    }
    const host = ANSIBLE_HEAD.exec(text);
    if (host !== null) {
      const place: ShellContext = { host: host[1]!, by: "content" };
      add(
        place,
        playbook.map((c) => ({ ...c, place })),
      );
      continue;
    }
    const commands = bareCommands(text, here);
    if (commands.length === 0 || claims.claimed(i)) continue;
    const next = nextLine(page, i);
    const expected = commands.flatMap((c) => dialectsOf(c.words));
    if (next !== undefined && expected.some((d) => claims.strong(d, next))) add(here, commands);
  }
}
