import { isKnownCommand } from "./known-commands.ts";
import { isRemark } from "./line-kind.ts";
import type { Page } from "./page.ts";
import { isContainerName, type Prompt, promptOf } from "./prompt.ts";
import type { ShellContext } from "./session.ts";
import { Session, within } from "./session.ts";
import { commandsOf, type SimpleCommand } from "./shell-words.ts";
import { type Unwrapped, unwrap } from "./wrapper.ts";

/** One command of a typed line, unwrapped, and where it ran. */
export interface EchoedCommand {
  readonly simple: SimpleCommand;
  readonly words: readonly string[];
  readonly place: ShellContext;
}

/** A command line as it stands in the text above its output. */
export interface Echo {
  /** The lines it takes up, continuations included. */
  readonly lines: readonly number[];
  /** Column of the command in each of those lines. */
  readonly columns: readonly number[];
  readonly text: string;
  readonly place: ShellContext;
  readonly commands: readonly EchoedCommand[];
}

const CONTINUES = /\\\s*$/;

/** The lines of a command that goes on: after a backslash, or at the shell's own `> `. */
function typedLines(page: Page, at: number, prompt: Prompt): { lines: number[]; columns: number[]; text: string } {
  const lines = [at];
  const columns = [prompt.column];
  let text = prompt.command;
  for (let i = at + 1; i < page.texts.length && lines.length < 200; i++) {
    const line = page.texts[i]!;
    const quoted = /^>\s/.exec(line);
    if (!CONTINUES.test(page.texts[i - 1]!) && !(quoted !== null && unfinished(text))) break;
    const column = quoted === null ? 0 : quoted[0].length;
    text = `${text.replace(CONTINUES, " ")}${line.slice(column)}`;
    lines.push(i);
    columns.push(column);
  }
  return { lines, columns, text };
}

/** An open quote, or an operator at the end: the shell asked for more. */
function unfinished(text: string): boolean {
  if (/(?:\||&&|\|\|)\s*$/.test(text)) return true;
  const bare = text.replace(/\\./g, "");
  return (
    /^(?:for|while|if)\s/.test(bare) ||
    (bare.split("'").length % 2 === 0 && !bare.includes('"')) ||
    bare.split('"').length % 2 === 0
  );
}

/** A remark that what follows is not of the machine before. */
const ANOTHER_MACHINE =
  /另(?:外)?一(?:台|个)\s?(?:机器|节点|主机|服务器)|\b(?:on |from )?(?:the other|another|the second)\s(?:node|machine|host|server)\b/i;

/** A heading names where the next output is from; a sentence that mentions another machine tells a story. */
const HEADING_WORDS = 8;
const saysAnotherMachine = (text: string): boolean =>
  ANOTHER_MACHINE.test(text.slice(0, 200)) &&
  isRemark(text) &&
  (/[:：]\s*$/.test(text) || text.trim().split(/\s+/, HEADING_WORDS + 1).length <= HEADING_WORDS);

/** Nobody types these in a container: they need what only the machine has. */
const NODE_TOOLS =
  /^(?:sudo\s+)?(?:chroot \/host\b|(?:\S*\/)?(?:ip6?tables|nft|ipset|ipvsadm|conntrack|brctl|bridge|crictl|ctr|nerdctl|docker|podman|systemctl|journalctl|dmesg|nsenter|wg|ovs-\w+)(?:-\S+)?(?:\s|$))/;

/** Shells that are a machine's, though a mere `root@name:/#` or `sh-4.4#` may be a container's: by where they were, and by what was typed. */
function shellsOfNodes(page: Page): ReadonlySet<string> {
  const nodes = new Set<string>();
  page.texts.forEach((text, i) => {
    const prompt = page.frame[i] === 0 ? promptOf(text) : undefined;
    if (prompt === undefined) return;
    const elsewhere = prompt.host !== undefined && prompt.directory !== undefined && prompt.directory !== "/";
    if (elsewhere || (!isContainerName(prompt.host) && NODE_TOOLS.test(prompt.command))) nodes.add(prompt.signature);
  });
  return nodes;
}

/** Finds the commands typed in a page, block by block, keeping track of which machine and namespace they ran in. */
export function echoesOf(page: Page): Map<number, Echo> {
  const echoes = new Map<number, Echo>();
  const session = new Session();
  const nodes = shellsOfNodes(page);
  let block = 0;
  for (let i = 0; i < page.texts.length; i++) {
    if (page.frame[i] !== 0) continue;
    if (page.blocks[i] !== block) {
      session.reset();
      block = page.blocks[i]!;
    }
    const observed = promptOf(page.texts[i]!);
    if (observed === undefined) {
      if (saysAnotherMachine(page.texts[i]!)) session.elsewhere();
      continue;
    }
    const prompt = nodes.has(observed.signature) ? { ...observed, container: false } : observed;
    const here = session.at(prompt);
    const typed = typedLines(page, i, prompt);
    const commands = commandsOf(typed.text).map((simple) => {
      const inner: Unwrapped = unwrap(simple.words);
      const place = within(here, inner);
      if (inner.shell) session.open(inner);
      else if (/^(?:exit|logout)$/.test(inner.words[0] ?? "")) session.close();
      return { simple, words: inner.words, place };
    });
    echoes.set(i, { ...typed, place: here, commands });
    i = typed.lines[typed.lines.length - 1]!;
  }
  return echoes;
}

const INLINE = /`([^`]{2,400})`/g;
const HEADING = /^\s{0,3}#{1,6}\s+(.{2,300})$/;

/** A command that running text names just before a block: `Output of \`ip rule\`:`, or a heading. */
export function commandInText(line: string): readonly EchoedCommand[] {
  const spans = [...line.slice(0, 1000).matchAll(INLINE)].map((m) => m[1]!);
  const heading = HEADING.exec(line.slice(0, 400))?.[1];
  const texts = heading === undefined ? spans : [...spans, heading];
  return texts.flatMap((text) =>
    commandsOf(text.replace(/^[#$]\s?/, "")).flatMap((simple) => {
      const inner = unwrap(simple.words);
      if (!isKnownCommand(inner.words[0] ?? "")) return [];
      return [{ simple, words: inner.words, place: within({}, inner) }];
    }),
  );
}
