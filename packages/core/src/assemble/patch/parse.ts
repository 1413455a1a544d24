import type { PatchRefusal } from "../../model/faults/patch-refusal.ts";
import type { Origin } from "../../model/index.ts";
import { portOfPath } from "../../parse/bridge/hairpin.ts";
import { readIpCommand } from "../../parse/iproute2/command/command-read.ts";
import { parseIpsetCommand } from "../../parse/ipset/index.ts";
import { parseCommand as parseIptables } from "../../parse/iptables/command/commands.ts";
import { parseIpvsCommand } from "../../parse/ipvs/index.ts";
import { type ShellWord, shellWords } from "../../parse/shell-words.ts";
import { parseSysctlCommand } from "../../parse/sysctl/index.ts";
import type { Change } from "./change.ts";
import { parseConntrack } from "./conntrack.ts";

export type ParsedChanges =
  | { readonly ok: true; readonly changes: readonly Change[] }
  | { readonly ok: false; readonly refusal: PatchRefusal };

const no = (refusal: PatchRefusal): ParsedChanges => ({ ok: false, refusal });
const notUnderstood = (tool: string, detail: string): ParsedChanges => no({ kind: "not-understood", tool, detail });
const yes = (...changes: readonly Change[]): ParsedChanges => ({ ok: true, changes });

/** What one command line, typed on a node, would change. */
export function parseChange(line: string, origin: Origin): ParsedChanges {
  const sysctl = parseSysctlCommand(line, origin);
  if (sysctl !== undefined) return yes(...sysctl.map((command): Change => ({ kind: "sysctl", command })));
  const words = withoutPrivileges(shellWords(line));
  const hairpin = hairpinMode(words, origin);
  if (hairpin !== undefined) return yes(hairpin);
  const undo = NFT_UNDO.exec(line);
  if (undo !== null) {
    const [, family, table, chain, comment] = undo;
    return yes({ kind: "nft", command: `delete rule ${family} ${table} ${chain} commented ${comment}`, origin });
  }
  const operator = words.find((w) => w.operator);
  if (operator !== undefined) return no({ kind: "several-commands", operator: operator.text });
  const [first, ...rest] = words;
  const tool = first?.text.replace(/^.*\//, "") ?? "";
  if (/^ip6?tables(?:-legacy|-nft)?$/.test(tool)) return iptables(line, origin);
  switch (tool) {
    case "nft":
      return nft(
        rest.map((w) => w.text),
        origin,
      );
    case "ip":
    case "bridge":
    case "brctl": {
      const command = readIpCommand([tool, ...rest.map((w) => w.text)], origin);
      return command.kind === "unknown" ? notUnderstood(tool, command.reason) : yes({ kind: "ip", command });
    }
    case "ipset": {
      const { command, problems } = parseIpsetCommand(rest, origin);
      const [problem] = problems;
      if (problem !== undefined || command === undefined)
        return notUnderstood(tool, problem?.message ?? "not an ipset command");
      return yes({ kind: "ipset", command });
    }
    case "ipvsadm": {
      const { command, problem } = parseIpvsCommand(rest, origin);
      return command === undefined
        ? notUnderstood(tool, problem?.message ?? "not an ipvsadm command")
        : yes({ kind: "ipvs", command });
    }
    case "sysctl":
      return no({ kind: "no-value" });
    case "modprobe": {
      const remove = rest[0]?.text === "-r";
      const [name, ...more] = rest.slice(remove ? 1 : 0).map((w) => w.text);
      return name === "br_netfilter" && more.length === 0
        ? yes({ kind: "module", name, ...(remove && { remove: true as const }), origin })
        : no({ kind: "only-modelled", tool, form: "br_netfilter" });
    }
    case "ethtool": {
      const [option, device] = rest.map((w) => w.text);
      return (option === "-K" || option === "--offload") && device !== undefined && rest.length > 2
        ? yes({ kind: "offload", device, origin })
        : no({ kind: "only-modelled", tool, form: "-K" });
    }
    case "conntrack": {
      const selector = parseConntrack(rest.map((w) => w.text));
      return "kind" in selector ? no(selector) : yes({ kind: "conntrack", selector, origin });
    }
    case "":
      return no({ kind: "empty" });
    default:
      return no({ kind: "not-modelled", tool });
  }
}

const withoutPrivileges = (words: readonly ShellWord[]): readonly ShellWord[] =>
  words[0]?.text === "sudo" ? words.slice(1) : words;

function iptables(line: string, origin: Origin): ParsedChanges {
  const reading = parseIptables(line);
  const problem = reading.diagnostics.find((d) => d.severity !== "note");
  if (problem !== undefined) return notUnderstood("iptables", problem.message);
  const commands = reading.facts.flatMap((f) => (f.kind === "iptables-commands" ? f.commands : []));
  if (commands.length === 0) return no({ kind: "changes-nothing", tool: "iptables" });
  return yes(...commands.map((command): Change => ({ kind: "iptables", command: { ...command, origin } })));
}

/** Rules of a comment, by whatever handles they have: how a fix of ours is taken back. */
const NFT_UNDO =
  /^nft -a list chain ([\w./-]+) ([\w./-]+) ([\w./-]+) \| sed -n 's,\.\* comment "([\w./-]+)" # handle [^']*' \| nft -f -$/;

/** nft puts its arguments together to one line, as it is done here. */
function nft(words: readonly string[], origin: Origin): ParsedChanges {
  const at = words.findIndex((w) => !/^-[aeHjnNpsStTuy]+$|^--(?:handle|echo|numeric|stateless|terse)$/.test(w));
  const command = words.slice(at).join(" ");
  const [verb = ""] = command.trimStart().split(/\s/);
  if (at < 0 || verb.startsWith("-")) return no({ kind: "only-modelled", tool: "nft", form: "nft COMMAND" });
  if (!CHANGES_NFT.has(verb)) return no({ kind: "changes-nothing", tool: "nft" });
  return yes({ kind: "nft", command, origin });
}

const CHANGES_NFT: ReadonlySet<string> = new Set([
  "add",
  "create",
  "insert",
  "replace",
  "rename",
  "delete",
  "destroy",
  "flush",
  "rule",
  "chain",
  "element",
  "set",
  "map",
  "table",
]);

/** `echo 1 > /sys/class/net/veth0/brport/hairpin_mode`. */
function hairpinMode(words: readonly ShellWord[], origin: Origin): Change | undefined {
  const at = words.findIndex((w) => w.operator);
  if (words[0]?.text !== "echo" || at !== 2 || !/^(?:>|\|)$/.test(words[at]!.text)) return undefined;
  const path = words.slice(at + 1).find((w) => w.text.endsWith("/hairpin_mode"))?.text;
  const port = path === undefined ? undefined : portOfPath(path)?.port;
  const value = words[1]!.text;
  if (port === undefined || !/^[01]$/.test(value)) return undefined;
  return { kind: "hairpin", port, on: value === "1", origin };
}
