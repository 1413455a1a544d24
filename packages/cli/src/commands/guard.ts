import { spawn } from "node:child_process";
import { hostname } from "node:os";
import { Askable, diagnose, type LoadedCase, partsOf } from "@hairpin/core/diagnose/index.ts";
import { type Lang, say, type Text, text, verbatim } from "@hairpin/core/messages/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import {
  apply,
  backendInUse,
  confirm,
  expire,
  type GuardReport,
  itemsOf,
  type Kept,
  once,
  remove,
  stateText,
  status,
  Trouble,
  type UnitKind,
  unit,
  waitsUntil,
  watch,
} from "@hairpin/guard/index.ts";
import { Option } from "commander";
import { LIVE } from "../case/from-cluster.ts";
import { LIMITS } from "../case/limits.ts";
import { loadCase } from "../case/load.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { langOption } from "../lang.ts";
import { type GuardLive, guardLive } from "../live/guard-live.ts";
import { statusJson, statusText } from "../report/guard-text.ts";
import { printable } from "../report/style.ts";
import type { Register, Surface } from "./command.ts";
import { withQuestionOptions } from "./question-options.ts";

interface Options extends GuardLive {
  readonly assume: readonly string[];
  readonly fix?: string;
  readonly on?: string;
  readonly apply?: boolean;
  readonly within: string;
  readonly confirm?: boolean;
  readonly run?: boolean;
  readonly interval: string;
  readonly once?: boolean;
  readonly status?: boolean;
  readonly remove?: boolean;
  readonly expire?: boolean;
  readonly print?: UnitKind;
  readonly state: string;
  readonly json?: boolean;
  readonly lang?: Lang;
}

export const guard: Register = (program, surface) => {
  withQuestionOptions(
    program
      .command("guard")
      .summary("keeps a proved fix in place on a node")
      .description(
        "Keeps a fix on this node that others would flush. Without --apply it prints what it would do. --apply puts it there and takes it back by itself unless `hairpin guard --confirm` follows within a minute; then --run (a service) or --once (cron) puts back what was flushed. A fix that the walk does not prove is refused.\n\nExit status: 0 in place, 1 not, or contested by somebody else, 64 and up for bad use or a node that cannot be changed.",
      )
      .argument("[case...]", "the case the fix is proved on"),
  )
    .option("--fix <code>", "the fix: a code that diagnose proposes, or a name in case.yaml")
    .option("--on <node>", "which node of the case this is; by its host name otherwise")
    .option("--apply", "put it there, for a minute")
    .option("--within <seconds>", "how long --apply waits for --confirm", "60")
    .option("--yes", "with --live: do it on the nodes, through the access by which they were read")
    .option("--confirm", "keep what --apply put there")
    .option("--run", "stay, look on an interval and after changes, put back what is gone")
    .option("--interval <seconds>", "how often --run looks", "30")
    .option("--once", "one look, for cron")
    .option("--status", "what is kept and how it is; for health checks")
    .option("--remove", "undo everything")
    .addOption(new Option("--print <kind>", "print the files of a service").choices(["systemd", "cron", "daemonset"]))
    .addOption(new Option("--expire", "wait for the deadline and take back what nobody confirmed").hideHelp())
    .option("--state <folder>", "where it remembers what it keeps", "/var/lib/hairpin/guard")
    .addOption(langOption())
    .addHelpText(
      "after",
      "\nExamples:\n  hairpin guard bundle.tar.gz --fix RP_FILTER_LOOSE              what it would do\n  hairpin guard bundle.tar.gz --fix RP_FILTER_LOOSE --apply\n  hairpin guard --confirm\n  hairpin guard --print systemd > /etc/systemd/system/hairpin-guard.service\n  hairpin guard --status; hairpin guard --remove",
    )
    .action(async (paths: string[], options: Options) => {
      const lang = options.lang ?? surface.lang;
      try {
        await act(paths, options, { ...surface, lang });
      } catch (error) {
        if (error instanceof Trouble) throw new Failure(EXIT.unavailable, say(error.text, lang));
        if (error instanceof Refused) throw new Failure(error.status, error.texts.map((t) => say(t, lang)).join("\n"));
        throw error;
      }
    });
};

/** Ends the command, in no language yet: a line for each text. */
class Refused extends Error {
  readonly status: number;
  readonly texts: readonly Text[];
  constructor(status: number, ...texts: readonly Text[]) {
    super(texts.map((t) => say(t)).join("\n"));
    this.status = status;
    this.texts = texts;
  }
}

const seconds = (value: string, option: string): number => {
  const n = Number(value);
  if (!Number.isFinite(n) || n <= 0 || n > 86_400)
    throw new Refused(EXIT.usage, text("guard.seconds", { option, value }));
  return n * 1000;
};

async function act(paths: readonly string[], options: Options, surface: Surface): Promise<void> {
  const { state } = options;
  if (options.confirm) return tell(surface, await toTheEnd(() => confirm(state)));
  if (options.remove) return tell(surface, await toTheEnd(() => remove(state)));
  if (options.once) return tell(surface, await toTheEnd(() => once(state)));
  if (options.expire) return expireLater(state);
  if (options.run) return run(state, seconds(options.interval, "interval"), surface);
  if (options.status) {
    const now = status(state);
    surface.write(options.json ? `${jsonText(statusJson(now), 2)}\n` : statusText(now, surface.style, surface.lang));
    return surface.finish(now.healthy ? 0 : 1);
  }
  if (options.print !== undefined) {
    surface.write(unit(options.print, "/usr/local/bin/hairpin", options.fix ?? status(state).kept?.code ?? "a fix"));
    return surface.finish(0);
  }
  if (paths.length === 0) throw new Refused(EXIT.usage, text("guard.which-case"));
  if (paths.includes(LIVE)) return guardLive(options, surface);
  const { kept, proof } = proved(paths, options, surface.lang);
  const { items, refused } = itemsOf(kept.commands, () => kept.backend);
  if (refused.length > 0) throw new Refused(EXIT.unavailable, ...refused);
  if (options.apply) {
    const within = seconds(options.within, "within");
    const put = () => apply(state, kept, within, () => spawnExpiry(state));
    return tell(surface, await toTheEnd(put, () => remove(state)));
  }
  const { code, node, summary, backend } = kept;
  const told = (of: Text): string => printable(say(of, surface.lang));
  surface.write(
    [
      told(text("guard.plan", { code, node, summary })),
      told(text("guard.proof", { verdict: proof })),
      told(text("guard.would")),
      ...items.map((i) => `  ${told(text("guard.now", { command: i.command, state: stateText(i.look().state) }))}`),
      told(text("guard.backend", { backend })),
      "",
    ].join("\n"),
  );
  surface.finish(0);
}

/** The fix of that name, only if the walk proves it, and what of it concerns this node. */
function proved(
  paths: readonly string[],
  options: Options,
  lang: Lang,
): { readonly kept: Kept; readonly proof: string } {
  const { fix } = options;
  if (fix === undefined) throw new Refused(EXIT.usage, text("guard.which-fix"));
  const loaded = loadCase(paths, LIMITS, options);
  const askable = new Askable(loaded, options.assume);
  const found = fixNamed(askable, loaded, options, fix, lang);
  if (found.verdict !== "reachable") {
    throw new Refused(EXIT.badData, text("guard.not-proved", { fix, verdict: found.verdict }));
  }
  const here = options.on ?? hostname();
  const names = askable.world.stacks.filter((s) => s.kind === "node").map((s) => s.name);
  const node = names.includes(here) ? here : names.length === 1 ? names[0]! : undefined;
  if (node === undefined)
    throw new Refused(EXIT.usage, text("guard.which-node", { nodes: names.map((n) => printable(n)) }));
  const parts = partsOf(askable, options, found.commands);
  const idle = parts.filter((p) => p.idle).map((p) => `${p.stack}: ${p.command}`);
  if (idle.length > 0) throw new Refused(EXIT.badData, text("guard.idle-part", { fix }), ...idle.map(verbatim));
  const commands = parts.flatMap((p) => (p.stack === node ? [p.command] : []));
  if (commands.length === 0) throw new Refused(EXIT.badData, text("guard.not-here", { fix, node }));
  return { kept: { code: fix, summary: found.summary, node, commands, backend: backendInUse() }, proof: found.verdict };
}

interface Found {
  readonly summary: string;
  readonly commands: readonly string[];
  readonly verdict: string;
}

/** A fix that diagnose proposes for this question, else one that case.yaml names: either is walked again before it is kept. */
function fixNamed(askable: Askable, loaded: LoadedCase, options: Options, fix: string, lang: Lang): Found {
  const named = loaded.caseFile?.fixes.some((f) => f.name === fix) ?? false;
  const { fixes, tried } = diagnose(askable, options, named ? [fix] : []);
  const proposed = fixes.find((f) => f.code === fix);
  if (proposed !== undefined)
    return { summary: say(proposed.summary, lang), commands: proposed.commands, verdict: proposed.proof.verdict };
  const own = tried[0];
  if (own !== undefined) return { summary: own.patch, commands: own.commands, verdict: own.judgement.verdict };
  const known = [...fixes.map((f) => f.code), ...(loaded.caseFile?.fixes ?? []).map((f) => f.name)];
  throw new Refused(
    EXIT.usage,
    text("guard.no-such-fix", { fix, known: known.length > 0 ? known : text("guard.no-fix") }),
  );
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Ctrl-C in the middle would leave half of it: what was begun comes to its end, and is then taken back where that is asked for. */
async function toTheEnd(work: () => GuardReport, takeBack?: () => GuardReport): Promise<GuardReport> {
  let interrupted = false;
  const note = (): void => {
    interrupted = true;
  };
  for (const signal of SIGNALS) process.on(signal, note);
  try {
    const report = work();
    // The work lets no signal in; those that came meanwhile are told now.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (!interrupted || takeBack === undefined) return report;
    throw new Refused(EXIT.interrupted, text("guard.interrupted"), ...takeBack().lines);
  } finally {
    for (const signal of SIGNALS) process.off(signal, note);
  }
}

function tell(surface: Surface, outcome: GuardReport): void {
  for (const line of outcome.lines) surface.write(`${printable(say(line, surface.lang))}\n`);
  surface.finish(outcome.healthy ? 0 : 1);
}

/** Taking back must outlive this shell: the fix may have cut the very connection it was typed over. */
function spawnExpiry(state: string): void {
  const [node = "", ...args] = [process.execPath, ...process.argv.slice(1, 2)];
  const child = spawn(node, [...args, "guard", "--expire", "--state", state], { detached: true, stdio: "ignore" });
  child.unref();
}

/** Runs detached: asks again until there is nothing left that waits for a confirmation. */
async function expireLater(state: string): Promise<void> {
  for (;;) {
    const until = waitsUntil(state);
    if (until === undefined) return;
    await new Promise((resolve) => setTimeout(resolve, Math.max(100, until - Date.now())));
    try {
      expire(state);
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
    }
  }
}

async function run(state: string, interval: number, surface: Surface): Promise<void> {
  const watching = watch(state, interval, (guardReport) => {
    for (const line of guardReport.lines)
      surface.complain(`${new Date().toISOString()} ${printable(say(line, surface.lang))}`);
  });
  for (const signal of SIGNALS) process.once(signal, watching.stop);
  await watching.done;
  surface.finish(0);
}
