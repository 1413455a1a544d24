import type { CommandTree, OptionWord } from "./tree.ts";

/** Text in a manual page: a backslash, a hyphen and a line that starts with a dot or a quote mean something to roff. */
const plain = (text: string): string =>
  text
    .replace(/\\/g, "\\e")
    .replace(/-/g, "\\-")
    .replace(/^([.'])/gm, "\\&$1");

const paragraphs = (text: string): string =>
  text
    .split(/\n\n+/)
    .map((p) => (/^ {2}/m.test(p) ? `.nf\n${plain(p)}\n.fi` : plain(p.replace(/\n/g, " "))))
    .join("\n.PP\n");

const optionText = (o: OptionWord): string =>
  `.TP\n${o.flags.map((f) => `\\fB${plain(f)}\\fR`).join(", ")}${o.operand === undefined ? "" : ` \\fI${plain(o.operand)}\\fR`}\n${plain(o.text)}`;

function commandText(name: string, c: CommandTree): string {
  const operands = c.operands.map((o) => ` \\fI${plain(o.term)}\\fR`).join("");
  return [
    `.SS ${name} ${c.name}${operands}`,
    paragraphs(c.description === "" ? c.summary : c.description),
    ...c.options.filter((o) => !o.flags.includes("--help")).map(optionText),
  ].join("\n");
}

/** The manual page, section 1. */
export function manualPage(tree: CommandTree, version: string): string {
  return `.TH ${tree.name.toUpperCase()} 1 "" "${tree.name} ${version}" "User Commands"
.SH NAME
${tree.name} \\- walk a packet to a Kubernetes Service and back, and say where it dies
.SH SYNOPSIS
.B ${tree.name}
.I command
.RI [ options ]
.RI [ case ...]
.SH DESCRIPTION
${paragraphs(tree.description)}
.PP
A
.I case
is a folder, a bundle (.tar.gz), a transcript, or loose files; what each dump is shows in its content.
.SH COMMANDS
${tree.commands.map((c) => commandText(tree.name, c)).join("\n")}
.SH EXIT STATUS
.TP
.B 0
reachable (diagnose), answered (trace), nothing amiss (check), no difference (diff)
.TP
.B 1
unreachable or intermittent; something not understood or contradictory; a difference
.TP
.B 2
undetermined
.TP
.B 64 and up
bad use, unreadable input, or nothing to do it with; as in sysexits.h
.SH ENVIRONMENT
.TP
.B NO_COLOR, FORCE_COLOR
never colours, always colours; otherwise only on a terminal
.TP
.B LC_ALL, LC_MESSAGES, LANG
the language of answers where \\-\\-lang does not say it: Chinese for zh, else English
`;
}
