import type { IptablesBackend, IptablesTableName } from "../../model/index.ts";
import type { Family } from "../../net/index.ts";
import type { ContextSource, DumpContext, Learnt } from "../dialect.ts";
import { invocationOf } from "../iproute2/invocation.ts";
import type { SimpleCommand } from "./shell-words.ts";

type Fields = { -readonly [K in keyof DumpContext]?: DumpContext[K] };

const IPTABLES = /^(ip6?)tables(?:-(legacy|nft))?(?:-save)?$/;
const TABLES = new Set(["raw", "mangle", "nat", "filter", "security"]);

const baseName = (word: string | undefined): string => (word ?? "").slice((word ?? "").lastIndexOf("/") + 1);

/** The value of an option given as `-t nat`, `-tnat`, `--table nat` or `--table=nat`. */
function optionValue(words: readonly string[], short: string, long: string): string | undefined {
  for (let i = 1; i < words.length; i++) {
    const word = words[i]!;
    if (word === short || word === long) return words[i + 1];
    if (word.startsWith(`${long}=`)) return word.slice(long.length + 1);
    if (word.startsWith(short) && word.length > short.length && !word.startsWith("--")) return word.slice(short.length);
  }
  return undefined;
}

const isTable = (name: string | undefined): name is IptablesTableName => name !== undefined && TABLES.has(name);

function iptables(words: readonly string[], learn: <T>(value: T) => Learnt<T>): Fields {
  const at = /^xtables-.*multi$/.test(baseName(words[0])) ? 1 : 0;
  const m = IPTABLES.exec(baseName(words[at]));
  if (m === null) return {};
  const fields: Fields = { family: learn<Family>(m[1] === "ip6" ? 6 : 4) };
  const backend =
    m[2] ?? (baseName(words[0]).includes("legacy") ? "legacy" : baseName(words[0]).includes("nft") ? "nft" : undefined);
  if (backend !== undefined) fields.iptablesBackend = learn(backend as IptablesBackend);
  const table = optionValue(words.slice(at), "-t", "--table");
  const saves = baseName(words[at]).endsWith("-save");
  if (isTable(table)) fields.iptablesTable = learn(table);
  // iptables(8) without -t speaks of the filter table; iptables-save of all.
  else if (table === undefined && !saves) fields.iptablesTable = learn<IptablesTableName>("filter");
  return fields;
}

function iproute2(words: readonly string[], learn: <T>(value: T) => Learnt<T>): Fields {
  const command = invocationOf(words);
  if (command === undefined) return {};
  const fields: Fields = {};
  if (command.family !== undefined) fields.family = learn(command.family);
  const device = command.rest.indexOf("dev");
  if (device >= 0 && command.rest[device + 1] !== undefined) fields.device = learn(command.rest[device + 1]!);
  else if ((command.object === "address" || command.object === "link") && command.rest.length === 2) {
    fields.device = learn(command.rest[1]!);
  }
  return fields;
}

function capture(words: readonly string[], learn: <T>(value: T) => Learnt<T>): Fields {
  const tool = baseName(words[0]);
  if (tool !== "tcpdump" && tool !== "tshark") return {};
  const device = optionValue(words, "-i", "--interface") ?? clustered(words);
  return device === undefined ? {} : { captureDevice: learn(device) };
}

/** `tcpdump -nni eth0`. */
function clustered(words: readonly string[]): string | undefined {
  const at = words.findIndex((w) => /^-[A-Za-z]+i$/.test(w) && !w.startsWith("--"));
  return at > 0 ? words[at + 1] : undefined;
}

/** These change or choose what is shown; `cat`, `tee` and `column` do not. */
const FILTERS = new Set(
  "grep egrep fgrep zgrep rg ag head tail awk gawk sed cut sort uniq tr wc less more jq xargs fold perl python python3".split(
    " ",
  ),
);

/** What a dump's command line says about it beside its content. */
export function contextOf(command: SimpleCommand, words: readonly string[], by: ContextSource): DumpContext {
  const learn = <T>(value: T): Learnt<T> => ({ value, by });
  const filter = command.filters.map((f) => baseName(f[0] === "sudo" ? f[1] : f[0])).find((name) => FILTERS.has(name));
  return {
    command: words,
    ...iptables(words, learn),
    ...iproute2(words, learn),
    ...capture(words, learn),
    ...(filter === undefined ? {} : { partial: learn(`through ${filter}`), filters: command.filters }),
  };
}
