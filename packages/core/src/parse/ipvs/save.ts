import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { shellWords } from "../shell-words.ts";
import { originAt, type Source } from "../source.ts";
import { IpvsTable, serviceId } from "./apply.ts";
import { type IpvsCommand, parseIpvsCommand } from "./command.ts";

const PREFIX = /^\s{0,80}(?:sudo\s{1,8})?(?:\/\S{0,40}\/)?ipvsadm(?:\s|$)/;

interface Lines {
  readonly commands: readonly { readonly command: IpvsCommand; readonly index: number }[];
  readonly diagnostics: readonly Diagnostic[];
  /** Services that lack a real server which was not understood; undefined where it is not even known whose it was. */
  readonly lacking: ReadonlySet<string | undefined>;
}

/** The commands of a text, one a line, with or without `ipvsadm` in front; what cannot be read is complained of. */
function commandsOf(source: Source): Lines {
  const commands: { command: IpvsCommand; index: number }[] = [];
  const diagnostics: Diagnostic[] = [];
  const lacking = new Set<string | undefined>();
  for (const [index, line] of source.lines.entries()) {
    const start = line.trimStart();
    if (start === "" || start.startsWith("#") || start.trimEnd() === "--") continue;
    const prefix = PREFIX.exec(line.slice(0, 200));
    const words = shellWords(line, prefix?.[0].length ?? 0);
    const end = words.findIndex((w) => w.operator);
    const parsed = parseIpvsCommand(end < 0 ? words : words.slice(0, end), originAt(source, index));
    if (parsed.command !== undefined) commands.push({ command: parsed.command, index });
    else {
      const { text, column, message } = parsed.problem!;
      lacking.add(parsed.about === undefined ? undefined : serviceId(parsed.about));
      const options = { length: Math.max(1, text.length) };
      diagnostics.push(diagnose(source, index, column, "ipvs-bad-command", `\`${text}\` ${message}`, options));
    }
  }
  return { commands, diagnostics, lacking };
}

/**
 * Reads `ipvsadm -S` and what is fed to `ipvsadm -R`. A service whose real server could not be read is partial, as is one
 * whose real servers may have been filtered away.
 */
export function readSave(source: Source, context: DumpContext): Reading {
  const { commands, diagnostics: unread, lacking } = commandsOf(source);
  const diagnostics = [...unread];
  const table = new IpvsTable({ services: [], extent: "whole" });
  for (const { command, index } of commands) {
    const reason = table.apply(command);
    if (reason === undefined) continue;
    const message = `the kernel would refuse this: ${reason}`;
    diagnostics.push(diagnose(source, index, 0, "ipvs-refused", message, { severity: "warning" }));
  }
  const filtered = context.partial !== undefined;
  const partial = filtered || lacking.has(undefined);
  const services = table.state.services.map((s) =>
    filtered || lacking.has(serviceId(s.key)) ? { ...s, extent: "partial" as const } : s,
  );
  return {
    facts: [{ kind: "ipvs", services, extent: partial ? "partial" : "whole" }],
    diagnostics,
    counts: { services: services.length, servers: services.reduce((n, s) => n + s.realServers.length, 0) },
  };
}

/** Reads `ipvsadm …` commands as typed: they change the table rather than show it. */
export function readCommands(source: Source): Reading {
  const { commands, diagnostics } = commandsOf(source);
  return {
    facts: [{ kind: "ipvs-commands", commands: commands.map((c) => c.command) }],
    diagnostics,
    counts: { commands: commands.length },
  };
}
