import { isKnownCommand } from "./known-commands.ts";

/** A shell prompt at the start of a line, and the command typed after it. */
export interface Prompt {
  readonly host?: string;
  /** Two prompts of the same shell have the same one: everything but the command and the working directory. */
  readonly signature: string;
  /** Such a prompt is mostly seen inside a container. */
  readonly container: boolean;
  /** The working directory it shows, where it shows one. */
  readonly directory?: string;
  readonly command: string;
  /** Where the command starts in the line. */
  readonly column: number;
}

const PREFIX = /^(?:%\s+|\([^()\s]{1,60}\)\s*|\[?\d{1,4}[-:/]\d\d[-:/]\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?\]?\s+)?/;
const HOST = "[A-Za-z0-9][A-Za-z0-9_.-]{0,253}";

/** `[root@k8s-1 ~]# cmd`, `[root@tx-node 172.18.32.160 ~]# cmd`, `[node-70-155 ~]$ cmd`; cut off after `]` it ends the session. */
const BRACKET = new RegExp(
  String.raw`^\[(?:([\w.-]{1,64})@)?(${HOST})((?:\s+[^\]\s]{1,200}){0,4})\s?\]\s?(?:[#$%>]\s?|$)`,
);
/** `root@k8s-1:~# cmd`, `user@host:/etc$ cmd`, `root@host ~ # cmd`, `user@host$ cmd`. */
const USER_AT = new RegExp(
  String.raw`^([\w.-]{1,64})@(${HOST})(?::([^\s#$%>]{0,200})|\s+(?:~|/)[^\s#$%>]{0,200}(?:\s\([^()]{1,40}\))?)?\s?[#$%>]\s?`,
);
/** `k8s-1:~ # cmd` (SUSE). */
const HOST_COLON = new RegExp(String.raw`^(${HOST}):(?:~|/)[^\s#$%>]{0,200}\s?[#$%>]\s`);
/** `MacBook:~ ann$ cmd`. */
const MAC = new RegExp(String.raw`^(${HOST}):(?:~|/)[^\s#$%>]{0,200} [\w.-]{1,64}[$#] `);
/** `node1 ~ # cmd`. */
const HOST_DIRECTORY = new RegExp(String.raw`^(${HOST}) (?:~|/)[^\s#$%>]{0,200} [#$] `);
/** The second line of a prompt with a frame: `└─# cmd`, `╰─$ cmd`. */
const FRAMED = /^[╰└]─{1,3}[#$❯➤>]\s?/;
/** `I have no name!@web-0:/$ cmd`: a container without a user database. */
const NAMELESS = new RegExp(String.raw`^I have no name!@(${HOST}):[^\s#$]{0,200}[#$]\s?`);
/** `bash-4.2# cmd`, `sh-4.4$ cmd`: a shell without a profile. */
const BARE_SHELL = /^(?:ba)?sh-\d\.\d{1,2}[#$]\s?/;
/** `/ # cmd`, `/app # cmd`, `~ $ cmd`: busybox. */
const BUSYBOX = /^(?:~|\/[\w./-]{0,80}) [#$] /;
/** `➜  ~ cmd`, `➜  project git:(main) ✗ cmd`, `❯ cmd`, `λ cmd`. */
const GLYPH = /^[➜❯λ»]\s+/;
const GLYPH_DIRECTORY = /^[➜❯λ»]\s+[\w./~-]{1,80}\s+(?:git:\(\S{1,60}\)\s+)?(?:[✗✔±]\s+)?/;
/** `node1# cmd`, `node1$ cmd`, `node1> cmd`, `node1 # cmd`. */
const NAMED = new RegExp(String.raw`^(${HOST})(?:[#$%>]| [#$])\s+`);
const DOLLAR = /^\s?\$\s?/;
const HASH = /^\s?#\s?/;
const PERCENT = /^%\s/;

/** Names of pods end in letters that kube-controller-manager draws from an alphabet without vowels. */
const CONTAINER_HOST =
  /^(?:[0-9a-f]{12}|[a-z0-9][a-z0-9.-]{0,200}-[bcdfghjklmnpqrstvwxz2456789]{5,10}-[bcdfghjklmnpqrstvwxz2456789]{5})$/;
export const isContainerName = (host: string | undefined): boolean => host !== undefined && CONTAINER_HOST.test(host);
const NODE_NAME =
  /node|master|worker|control-?plane|k8s|kube|minion|slave|server|host|^vm|^ip-|centos|ubuntu|debian|bastion|kvm/i;

/** Prompts do not say whether they are a container's; names that pods and containers get do, and the root directory hints at it. */
const mayBeContainer = (host: string, user: string | undefined, directory: string | undefined): boolean =>
  CONTAINER_HOST.test(host) || (user === "root" && directory === "/" && !NODE_NAME.test(host));
const PROSE_WORD = /^(?:the|of|is|are|was|and|with|this|that|into|shows|we|you|it|result|means?|使用|查看)[.,:;]?$/i;

/** Their filters are made of words: `tcpdump -ni eth0 host 10.0.0.1 and port 53`. */
const TAKES_FILTER = /^(?:\S{0,100}\/)?(?:tcpdump|tshark|ngrep|dumpcap)$/;
const FILTER_WORD = /^and$/;

/** A comment or heading may begin with a tool's name; a command has no sentence after it. */
function readsAsCommand(text: string): boolean {
  const unquoted = text.replace(/"[^"]*"|'[^']*'/g, "");
  if (/[^\x00-\x7f]/.test(unquoted)) return false;
  const words = unquoted.trim().split(/\s+/, 40);
  const filtered = words.some((w) => TAKES_FILTER.test(w));
  const isProse = (w: string): boolean => PROSE_WORD.test(w) && !(filtered && FILTER_WORD.test(w));
  return !words.slice(1).some(isProse) && !/[.:,]$/.test(unquoted.trim().replace(/\.{3}$/, ""));
}

const firstWord = (text: string): string => /^\S{1,200}/.exec(text)?.[0] ?? "";

/** Whether a line is a command as one would type it, by its first word and by not being a sentence. */
export const isTypedCommand = (text: string): boolean => startsWithCommand(text.slice(0, 600));

function startsWithCommand(text: string): boolean {
  const rest = text.replace(/^(?:[A-Za-z_]\w{0,60}=\S{0,200}\s+){1,4}/, "");
  return isKnownCommand(firstWord(rest)) && readsAsCommand(rest);
}

interface Found {
  readonly length: number;
  readonly host?: string;
  readonly signature: string;
  readonly container?: boolean;
  readonly directory?: string;
}

function sure(line: string): Found | undefined {
  let m = BRACKET.exec(line);
  const cutOff = m !== null && /\]\s?$/.test(m[0]);
  if (m !== null && (m[1] !== undefined || (!cutOff && m[3] !== ""))) {
    const directory = m[3]!.trim().split(/\s+/).pop() ?? "";
    return {
      length: m[0].length,
      host: m[2]!,
      signature: `[${m[1] ?? ""}@${m[2]}`,
      container: mayBeContainer(m[2]!, m[1], directory),
      ...(directory === "" ? {} : { directory }),
    };
  }
  m = NAMELESS.exec(line);
  if (m !== null) return { length: m[0].length, host: m[1]!, signature: `nameless@${m[1]}`, container: true };
  m = USER_AT.exec(line);
  // `git@github.com:a/b#1` is none: after the sign stands a blank, nothing, or a command.
  if (m !== null && (/\s$/.test(m[0]) || m[0].length === line.length || startsWithCommand(line.slice(m[0].length)))) {
    const directory = m[3];
    return {
      length: m[0].length,
      host: m[2]!,
      signature: `${m[1]}@${m[2]}`,
      container: mayBeContainer(m[2]!, m[1], directory),
      ...(directory === undefined ? {} : { directory }),
    };
  }
  m = BARE_SHELL.exec(line);
  if (m !== null) return { length: m[0].length, signature: m[0].trim(), container: true };
  return undefined;
}

function likely(line: string): Found | undefined {
  const tests: readonly [RegExp, (m: RegExpExecArray) => Omit<Found, "length">][] = [
    [MAC, (m) => ({ host: m[1]!, signature: `${m[1]}:` })],
    [HOST_DIRECTORY, (m) => ({ host: m[1]!, signature: `${m[1]} ` })],
    [FRAMED, () => ({ signature: "framed" })],
    [HOST_COLON, (m) => ({ host: m[1]!, signature: `${m[1]}:` })],
    [BUSYBOX, (m) => ({ signature: "busybox", container: m[0].startsWith("/") })],
    [GLYPH, () => ({ signature: "glyph" })],
    [GLYPH_DIRECTORY, () => ({ signature: "glyph" })],
    [NAMED, (m) => ({ host: m[1]!, signature: `${m[1]}#` })],
    [HASH, () => ({ signature: "#" })],
    [PERCENT, () => ({ signature: "%" })],
  ];
  for (const [pattern, make] of tests) {
    const m = pattern.exec(line);
    if (m !== null && startsWithCommand(line.slice(m[0].length))) return { length: m[0].length, ...make(m) };
  }
  return undefined;
}

/** `$ cmd` is a prompt whatever the command; `$cmd` only if it is a known one. */
function dollar(line: string): Found | undefined {
  const m = DOLLAR.exec(line);
  if (m === null) return undefined;
  const rest = line.slice(m[0].length);
  const spaced = /\s$/.test(m[0]) && /^[A-Za-z._/~(][\w./~-]*(?:\s|$)/.test(rest) && readsAsCommand(rest);
  return spaced || startsWithCommand(rest) ? { length: m[0].length, signature: "$" } : undefined;
}

/** Only these characters can stand in a prompt's first place or end it: a glance that spares most lines the rest. */
const GLANCE = /[#$%>➜❯➤λ»]|^\[[^\]]{1,300}\]\s*$/;

/** Reads the prompt a line starts with, if it has one. An empty command is a prompt that was left alone. */
export function promptOf(line: string): Prompt | undefined {
  const head = line.slice(0, 600);
  if (!GLANCE.test(head)) return undefined;
  const prefix = PREFIX.exec(head)?.[0].length ?? 0;
  for (const skip of prefix > 0 ? [0, prefix] : [0]) {
    const text = head.slice(skip);
    const found = sure(text) ?? dollar(text) ?? likely(text);
    if (found === undefined) continue;
    const column = skip + found.length;
    return {
      ...(found.host === undefined ? {} : { host: found.host }),
      signature: found.signature,
      container: found.container ?? false,
      ...(found.directory === undefined ? {} : { directory: found.directory }),
      command: line.slice(column).trim(),
      column,
    };
  }
  return undefined;
}
