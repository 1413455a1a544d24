import type { CaseDumpFile, CaseFile, ObservedPlace } from "../../model/index.ts";
import { bundlesOf } from "../bundle/bundles.ts";
import type { FileRole } from "../bundle/kind.ts";
import { readCaptures } from "../capture/binary/read-all.ts";
import { type QuestionInput, questionEnds } from "../capture/question/ends.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { Dialect, DumpContext, Learnt, Reading } from "../dialect.ts";
import { allDialects, observedDialects, recognisedDialects } from "../registry.ts";
import type { Source } from "../source.ts";
import { contextOf } from "../transcript/command-context.ts";
import type { EchoedCommand } from "../transcript/echo.ts";
import { lastLine, type Page, pageOf, sourceFrom } from "../transcript/page.ts";
import { mayHold, PlaceholderTable } from "../transcript/placeholder.ts";
import { type Found, layOut, type Scan, scan } from "../transcript/scan.ts";
import type { PathHint } from "../transcript/section.ts";
import type { ShellContext } from "../transcript/session.ts";
import { commandsOf } from "../transcript/shell-words.ts";
import { isUntidy } from "../transcript/tidy.ts";
import { unwrap } from "../transcript/wrapper.ts";
import { attribute, type Surroundings } from "./attribute.ts";
import type { CaseReading, Dump, PassedOver } from "./dump.ts";
import { type NameHint, nameHint } from "./file-name.ts";
import { folderHint } from "./folder.ts";
import { type HeadedPart, headedParts } from "./headed-parts.ts";
import type { CaseInput } from "./input.ts";
import { otherMachines } from "./other-machines.ts";
import { matchesPath } from "./path-pattern.ts";
import { plainDump, wholeDump } from "./plain-dump.ts";
import { ReadBefore, type ReadDump } from "./read-before.ts";

interface ScannedFile {
  /** Its own, or that of the heading above it. */
  readonly path: string;
  readonly scan: Scan;
  readonly name: NameHint;
  readonly stated: CaseDumpFile | undefined;
  /** What it is in the support bundle it lies in. */
  readonly role: FileRole | undefined;
}

const recognisedOnly = new Set(recognisedDialects.map((d) => d.id));
/** What was seen somewhere does not make that place a node of the cluster: it may have been taken anywhere. */
const observedOnly = new Set([...observedDialects, ...recognisedDialects].map((d) => d.id));
const CLUSTER = new Set(["kubernetes", "kubectl-get", "kubectl-describe", "kubectl-logs"]);

/**
 * Reads all files of a case: finds the dumps, says whose they are, and hands each to its reader. Of large captures only
 * what can be of the `asked` connection is kept, where one is given.
 */
export function readCase(
  inputs: readonly CaseInput[],
  caseFile?: CaseFile,
  requested?: QuestionInput,
  earlier: ReadBefore = new ReadBefore(),
): CaseReading {
  const readBefore = earlier as ReadBefore<PageOfCase>;
  const placeholders = new PlaceholderTable();
  const files: ScannedFile[] = [];
  const bundles = bundlesOf(inputs);
  const pages: PageOfCase[] = [];
  for (const input of inputs) {
    if (input.digest === undefined && input.text === undefined) continue;
    const role = bundles.roleOf(input);
    const hints = hintsFor(input.path, role, caseFile);
    const before = readBefore.page(input, hints);
    if (before !== undefined) {
      pages.push(before);
      continue;
    }
    const text = input.text ?? "";
    const again = input.digest === undefined ? undefined : () => input.text ?? "";
    const { large, shared } = readBefore.kept;
    const known = wholeDump(text, allDialects, hints.hinted, { large, ...(again && { shared, again }) });
    if (known === undefined && again !== undefined) shared?.keeps(text);
    if (known !== undefined) {
      const found: Found = { ...known, lines: [0], elided: false, place: {} };
      const page: PageOfCase = { ...hints, page: pageOf(input.path, again ?? text), untidy: false, found };
      readBefore.notePage(input, hints, page);
      pages.push(page);
      continue;
    }
    const untidy = isUntidy(text);
    const parts = role === undefined ? headedParts(input.path, text) : whole(input.path, text);
    const alone = parts.length === 1 && parts[0]!.text === text && !mayHold(text) ? { input } : {};
    for (const part of parts) {
      const page = pageOf(input.path, part.text, part.before);
      const own = part.path === input.path ? hints : hintsFor(part.path, role, caseFile);
      pages.push({ ...own, page, untidy, ...alone });
      if (!mayHold(part.text)) continue;
      page.texts.forEach((text, i) => {
        placeholders.learn(input.path, part.before + i + 1, text);
      });
    }
  }
  for (const { input, ...one } of pages) {
    const { path, page, untidy, role, stated, name, hinted, found: known } = one;
    const found = known ?? (untidy ? undefined : plainDump(page, allDialects, hinted));
    if (input !== undefined && found !== undefined)
      readBefore.notePage(input, { path, role, stated, name, hinted }, { ...one, found });
    if (found === undefined) layOut(page, allDialects, hinted === undefined);
    const result =
      found === undefined
        ? scan(page, allDialects, hinted, {
            textAt: (line) => placeholders.shape(page.texts[line]!),
            pathHint: pathHintOf,
          })
        : { page, found: [found], passedOver: [] };
    files.push({ path, scan: result, name, stated, role });
  }
  const found = files.flatMap((file) => file.scan.found.map((f) => ({ file, found: withLogHost(f, file.scan.page) })));
  const empty: PassedOver[] = [];
  const { attributions, aliases } = attribute(
    found.map(
      ({ file, found: f }): Surroundings => ({
        path: file.path,
        place: f.place,
        ...(file.role === undefined ? {} : { bundled: file.role }),
        ...(file.name.prefix === undefined ? {} : { prefix: file.name.prefix }),
        ofNode: !observedOnly.has(f.dialect.id) && !CLUSTER.has(f.dialect.id),
      }),
    ),
    caseFile,
  );
  const taken = found.flatMap(
    ({ file, found: f }, i): { readonly dump: Dump; readonly as: (node: Named) => Dump }[] => {
      const { node, stack } = attributions[i]!;
      const as = (node: Named): { readonly dump: Dump; readonly empty: boolean } => {
        const context = { ...contextFor(file, f), node, ...(stack === undefined ? {} : { stack }) };
        const read = () => readFound(f, file.scan.page, context, placeholders);
        const { lines, reading, empty: isEmpty } = placeholders.empty ? readBefore.dump(f, context, read) : read();
        return { dump: dumpOf(f.dialect, file.scan.page.file, lines, node, stack, context, reading), empty: isEmpty };
      };
      const { dump, empty: isEmpty } = as(node);
      if (!isEmpty) return [{ dump, as: (node) => as(node).dump }];
      empty.push({ file: dump.file, lines: dump.lines });
      return [];
    },
  );
  const others = otherMachines(taken.map(({ dump }) => dump));
  const dumps = taken.map(({ dump, as }, i) => {
    const name = others[i];
    return name === undefined ? dump : as({ value: name, by: "content" });
  });
  return {
    dumps: [...dumps, ...binaries(inputs, caseFile, dumps, requested)],
    passedOver: passedOver(files, empty),
    placeholders: placeholders.all,
    aliases,
    diagnostics: [],
  };
}

type Named = Learnt<string>;

const dumpOf = (
  { id, title }: Dialect,
  file: string,
  lines: readonly [number, number],
  node: Named,
  stack: Learnt<string> | undefined,
  context: DumpContext,
  reading: Reading,
): Dump => ({
  dialect: { id, title },
  file,
  lines,
  node,
  ...(stack === undefined ? {} : { stack }),
  cluster: CLUSTER.has(id),
  context,
  reading,
});

/** A page and what is known of it before it is looked at. */
interface PageOfCase extends Hints {
  readonly page: Page;
  readonly untidy: boolean;
  /** It is one dump, as a glance showed. */
  readonly found?: Found;
  /** The file, where nothing else is in it and nothing in it hangs on others. */
  readonly input?: CaseInput;
}

interface Hints {
  readonly path: string;
  readonly role: FileRole | undefined;
  readonly stated: CaseDumpFile | undefined;
  readonly name: NameHint;
  readonly hinted: EchoedCommand | undefined;
}

function hintsFor(path: string, role: FileRole | undefined, caseFile: CaseFile | undefined): Hints {
  const stated = statedFile(caseFile, path);
  const name = role === undefined ? nameHint(path) : bundledName(role);
  return { path, role, stated, name, hinted: hintedCommand(stated, name, path) };
}

function readFound(found: Found, page: Page, context: DumpContext, placeholders: PlaceholderTable): ReadDump {
  const { whole: text } = found;
  if (text !== undefined)
    return { lines: [page.before + 1, page.before + text.lines], reading: text.read(page.file, context), empty: false };
  const { source, reading } = readDump(found, page, context, placeholders);
  const asked = context.command !== undefined || found.columns !== undefined;
  return {
    lines: [source.numbers?.[0] ?? source.firstLine, lastLine(source)],
    reading,
    empty: !asked && saysNothing(reading, source.lines.length),
  };
}

const whole = (path: string, text: string): readonly HeadedPart[] => [{ path, text, before: 0 }];

/** A bundle's layout says which command wrote a file; its name says nothing beyond. */
function bundledName({ command }: FileRole): NameHint {
  const [simple] = command === undefined ? [] : commandsOf(command);
  if (simple === undefined) return { context: {} };
  const { words } = unwrap(simple.words);
  return { words, context: contextOf(simple, words, "bundle") };
}

/** A part of a text that is headed by a file's name is read as that file would be. */
function pathHintOf(path: string): PathHint {
  const folder = folderHint(path);
  const command = hintedCommand(undefined, nameHint(path), path);
  const place: ShellContext = {
    ...(folder.node === undefined ? {} : { host: folder.node, by: "folder" }),
    ...(folder.stack === undefined ? {} : { stack: folder.stack }),
  };
  return { place, ...(command === undefined ? {} : { command }) };
}

/** In the order of files and lines. */
const passedOver = (files: readonly ScannedFile[], empty: readonly PassedOver[]): readonly PassedOver[] =>
  files.flatMap(({ scan: { page, passedOver: ranges } }) =>
    [
      ...ranges.map(
        ([from, to]): PassedOver => ({ file: page.file, lines: [page.before + from + 1, page.before + to + 1] }),
      ),
      ...empty.filter((e) => e.file === page.file && isOf(page, e.lines[0])),
    ].sort((a, b) => a.lines[0] - b.lines[0]),
  );

/** Whether a line of a file stands in this part of it. */
const isOf = ({ before, texts }: Page, line: number): boolean => line > before && line <= before + texts.length;

/** A lone `COMMIT` in a text: nobody asked for it, and it holds nothing. */
const saysNothing = (reading: Reading, lines: number): boolean =>
  (reading.diagnostics.length === 0 || (lines === 1 && reading.diagnostics.every((d) => d.severity === "error"))) &&
  Object.values(reading.counts).every((n) => n === 0) &&
  !reading.facts.some((f) => f.kind === "not-read-yet" || f.kind === "machine");

const LOG_HOST = /^(?:\w{3}\s+\d{1,2} \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S{8,32}) ([A-Za-z0-9][\w.-]{0,80}) \S{1,80}: /;

/** A line of a system's log names the machine it is from. */
function withLogHost(found: Found, page: Page): Found {
  if (found.place.host !== undefined || !/log$/.test(found.dialect.id)) return found;
  const host = LOG_HOST.exec((page.texts[found.lines[0] ?? 0] ?? "").slice(0, 200))?.[1];
  return host === undefined ? found : { ...found, place: { ...found.place, host, by: "content" } };
}

const statedFile = (caseFile: CaseFile | undefined, path: string): CaseDumpFile | undefined =>
  caseFile?.nodes.flatMap((n) => n.files).find((f) => matchesPath(f.path, path));

function hintedCommand(stated: CaseDumpFile | undefined, name: NameHint, path: string): EchoedCommand | undefined {
  const command = stated?.command === undefined ? undefined : commandsOf(stated.command)[0];
  if (command !== undefined) {
    const inner = unwrap(command.words);
    return { simple: command, words: inner.words, place: {} };
  }
  const words = name.words ?? (/\.ya?ml$/i.test(path) ? ["cat", path] : undefined);
  return words === undefined ? undefined : { simple: { words, filters: [], redirected: false }, words, place: {} };
}

/** What is known of a dump from outside, by rank: case.yaml, the command above it, the file's name, the folder. */
function contextFor(file: ScannedFile, found: Found): DumpContext {
  const { stated } = file;
  const folder = folderHint(file.path);
  const state = <T>(value: T): Learnt<T> => ({ value, by: "case.yaml" });
  const typed = stated?.command === undefined ? undefined : commandsOf(stated.command)[0];
  const byCase: DumpContext = typed === undefined ? {} : contextOf(typed, unwrap(typed.words).words, "case.yaml");
  // What the name says of one command does not hold for the output of another in the same file.
  const { command, ...qualifiers } = file.name.context;
  const ownName = found.command === undefined && found.columns === undefined;
  return {
    ...(folder.moment === undefined || file.role !== undefined ? {} : { moment: folder.moment }),
    ...(ownName && command !== undefined && found.dialect.printedBy(command) ? { command } : {}),
    ...(ownName ? qualifiers : onlyMoment(qualifiers)),
    ...(found.command === undefined ? {} : contextOf(found.command.simple, found.command.words, "command")),
    ...(found.elided ? { partial: { value: "something was left out", by: "content" as const } } : {}),
    ...byCase,
    ...(stated?.routeTable === undefined ? {} : { routeTable: state(stated.routeTable) }),
    ...(stated?.table === undefined ? {} : { iptablesTable: state(stated.table) }),
    ...(stated?.backend === undefined ? {} : { iptablesBackend: state(stated.backend) }),
    ...(stated?.family === undefined ? {} : { family: state(stated.family) }),
    ...(stated?.captureDevice === undefined ? {} : { captureDevice: state(stated.captureDevice) }),
    ...(stated?.moment === undefined ? {} : { moment: state(stated.moment) }),
    ...(stated?.partial ? { partial: state("stated") } : {}),
  };
}

/** The echoed command says table and family; back end, moment and the rest still come from the name. */
const onlyMoment = ({ moment, iptablesBackend }: DumpContext): DumpContext => ({
  ...(moment === undefined ? {} : { moment }),
  ...(iptablesBackend === undefined ? {} : { iptablesBackend }),
});

function readDump(
  found: Found,
  page: Page,
  context: DumpContext,
  placeholders: PlaceholderTable,
): { readonly source: Source; readonly reading: Reading } {
  const plain = found.columns === undefined ? sourceFrom(page, found.lines) : typedSource(page, found);
  if (placeholders.empty) return { source: plain, reading: readSafely(found.dialect, plain, context) };
  const notes: Diagnostic[] = [];
  const open = new Map<number, readonly string[]>();
  const lines = plain.lines.map((line, i) => {
    const { text, filled, open: left } = placeholders.fill(line);
    for (const p of filled) {
      const origin = p.origins[0];
      const where = origin === undefined ? "" : `, as ${origin.file}:${origin.line} shows`;
      notes.push(
        diagnose(plain, i, line.indexOf(p.name), "placeholder-filled", `${p.name} read as ${p.value}${where}`, {
          severity: "note",
          length: p.name.length,
        }),
      );
    }
    if (left.length > 0) open.set(plain.numbers?.[i] ?? plain.firstLine + i, left);
    return text;
  });
  const source = { ...plain, lines };
  const reading = readSafely(found.dialect, source, context);
  if (notes.length === 0 && open.size === 0) return { source, reading };
  const diagnostics = reading.diagnostics.map((d) => {
    const name = open.get(d.line)?.[0];
    if (name === undefined || d.severity === "note") return d;
    return {
      ...d,
      code: "placeholder",
      message: `${name} stands for something that is shown nowhere`,
      length: name.length,
      column: Math.max(1, d.text.indexOf(name) + 1),
    };
  });
  const read = !recognisedOnly.has(found.dialect.id);
  return { source, reading: { ...reading, diagnostics: read ? [...diagnostics, ...notes] : [] } };
}

/** Commands as typed: the prompt is taken off each line. */
function typedSource(page: Page, found: Found): Source {
  const source = sourceFrom(page, found.lines);
  const columns = found.columns ?? [];
  return {
    ...source,
    lines: source.lines.map((line, i) => line.slice(columns[i] ?? 0)),
    shift: source.lines.map((_, i) => (columns[i] ?? 0) + (source.shift?.[i] ?? 0)),
  };
}

/** Readers do not throw; if one does all the same, that is a diagnostic of this dump and not the end of the case. */
function readSafely(dialect: Dialect, source: Source, context: DumpContext): Reading {
  try {
    return dialect.read(source, context);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      facts: [],
      diagnostics: [diagnose(source, 0, 0, "reader-failed", `the reader of ${dialect.title} failed: ${why}`)],
      counts: {},
    };
  }
}

const BINARY = new Set(["pcap", "pcapng"]);

/** Captures in binary form, known by their first bytes. */
function binaries(
  inputs: readonly CaseInput[],
  caseFile: CaseFile | undefined,
  dumps: readonly Dump[],
  wanted: QuestionInput | undefined,
): readonly Dump[] {
  const nodes = new Set(dumps.filter((d) => !d.cluster).map((d) => d.node.value));
  const only = nodes.size === 1 ? [...nodes][0] : undefined;
  const captures = inputs.filter((i) => i.binary !== undefined && BINARY.has(i.binary));
  const surroundings = captures.map((i): Surroundings => ({ path: i.path, place: {}, ofNode: false }));
  const { attributions } = attribute(surroundings, caseFile);
  const files = captures.map((input, i) => {
    const { node: named, stack } = attributions[i]!;
    const node: Learnt<string> = named.by === "default" && only !== undefined ? { value: only, by: "default" } : named;
    const hint = nameHint(input.path);
    const device = statedFile(caseFile, input.path)?.captureDevice ?? hint.context.captureDevice?.value;
    const place: ObservedPlace = {
      node: node.value,
      ...(stack === undefined ? {} : { stack: stack.value }),
      ...(device === undefined ? {} : { device }),
      capture: { kind: "read", file: input.path, line: 1 },
    };
    const { bytes = new Uint8Array(0) } = input;
    const pieces = input.pieces ?? (() => [bytes]);
    return { path: input.path, place, pieces, node, stack, context: hint.context };
  });
  const readings = readCaptures(
    files,
    () => (wanted === undefined ? undefined : questionEnds(wanted, dumps, caseFile)),
    dumps.map((d) => d.reading),
  );
  const unread: Reading = { facts: [{ kind: "not-read-yet", what: "a capture" }], diagnostics: [], counts: {} };
  const isThere = (input: CaseInput): boolean => input.pieces !== undefined || input.bytes !== undefined;
  return files.map(({ path, node, stack, context }, i) => ({
    dialect: { id: captures[i]!.binary!, title: captures[i]!.binary! },
    file: path,
    lines: [0, 0] as const,
    node,
    ...(stack === undefined ? {} : { stack }),
    cluster: false,
    context: { ...context, node, ...(stack === undefined ? {} : { stack }) },
    reading: isThere(captures[i]!) ? readings[i]! : unread,
  }));
}
