import type { CaseFile } from "../../model/index.ts";
import type { ContextSource, Learnt } from "../dialect.ts";
import { type ShellContext, UNNAMED_MACHINE } from "../transcript/session.ts";
import { type FolderHint, folderHint } from "./folder.ts";
import { matchesPath } from "./path-pattern.ts";

/** Whose a dump is, as far as its own surroundings say. */
export interface Surroundings {
  readonly path: string;
  readonly place: ShellContext;
  /** What the support bundle that it lies in says. */
  readonly bundled?: { readonly node?: string; readonly stack?: string };
  /** What stands before the tool in the file's name. */
  readonly prefix?: string;
  /** Whether its dialect becomes facts of a node. */
  readonly ofNode: boolean;
}

export interface Attribution {
  readonly node: Learnt<string>;
  readonly stack?: Learnt<string>;
}

export const DEFAULT_NODE = "node";

const NOT_A_NODE =
  /^(?:before|after|dumps?|answers?|logs?|output|captures?|cluster|kubernetes|k8s|files|data|tmp|case|host|\d+|\.+)$/i;

interface Stated {
  readonly node?: string;
  readonly stack?: string;
}

/** What case.yaml states about a path. */
function stated(caseFile: CaseFile | undefined, path: string): Stated {
  if (caseFile === undefined) return {};
  for (const stack of caseFile.stacks) {
    if (!stack.dumps.some((pattern) => matchesPath(pattern, path))) continue;
    if (stack.kind === "node") return { node: stack.name };
    return { node: stack.node ?? stack.name, ...(stack.node === undefined ? {} : { stack: stack.name }) };
  }
  for (const node of caseFile.nodes) {
    const file = node.files.find((f) => matchesPath(f.path, path));
    if (file !== undefined) return { node: node.name, ...(file.stack === undefined ? {} : { stack: file.stack }) };
  }
  return {};
}

const shortName = (host: string): string =>
  /^[\d.]+$/.test(host) || host.includes(":") ? host : host.split(".", 1)[0]!;

/**
 * Names the node of every dump of a case. What case.yaml says comes first, then the command or prompt above the dump,
 * then folder and file name. One prompt name in all of a node's folder is that node's other name, not another node.
 */
export function attribute(
  all: readonly Surroundings[],
  caseFile?: CaseFile,
): { readonly attributions: readonly Attribution[]; readonly aliases: ReadonlyMap<string, string> } {
  // Folders of a bundle are its collector's, and say nothing beyond what it is known for.
  const folders = all.map((s): FolderHint => (s.bundled === undefined ? folderHint(s.path) : { folder: "" }));
  const aliases = aliasesOf(all, folders);
  const byFolder = foldersAsNodes(all, folders);
  const prefixes = sharedPrefixes(all);
  const full = fullNames(all);

  const named = all.map((s, i): Learnt<string> | undefined => {
    const by = (value: string, source: ContextSource): Learnt<string> => ({ value, by: source });
    const says = stated(caseFile, s.path);
    if (says.node !== undefined) return by(says.node, "case.yaml");
    if (s.bundled?.node !== undefined) return by(s.bundled.node, "bundle");
    const folder = folders[i]!;
    const host = s.place.host === undefined ? undefined : (full.get(s.place.host) ?? s.place.host);
    if (host !== undefined) {
      const alias = aliases.get(host);
      return alias === undefined ? by(host, s.place.by ?? "prompt") : by(alias, "folder");
    }
    if (folder.node !== undefined) return by(folder.node, "folder");
    if (byFolder.has(folder.folder)) return by(byFolder.get(folder.folder)!, "folder");
    if (s.prefix !== undefined && prefixes.has(s.prefix)) return by(s.prefix, "file name");
    return undefined;
  });

  const names = new Set<string>();
  named.forEach((n, i) => {
    // What is another machine's is not that of whose the rest is.
    if (n !== undefined && all[i]!.ofNode && n.value !== UNNAMED_MACHINE) names.add(n.value);
  });
  if (caseFile !== undefined) for (const n of caseFile.nodes) names.add(n.name);
  // Only captures and logs are named: with one name among them, it is the node's.
  if (names.size === 0) for (const n of named) if (n !== undefined && n.value !== UNNAMED_MACHINE) names.add(n.value);
  const only = names.size === 1 ? [...names][0]! : DEFAULT_NODE;
  const attributions = all.map((s, i): Attribution => {
    const says = stated(caseFile, s.path);
    const folder = folders[i]!.stack;
    const stack: Learnt<string> | undefined =
      says.stack !== undefined
        ? { value: says.stack, by: "case.yaml" }
        : s.bundled?.stack !== undefined
          ? { value: s.bundled.stack, by: "bundle" }
          : s.place.stack !== undefined
            ? { value: s.place.stack, by: "command" }
            : folder !== undefined
              ? { value: folder, by: "folder" }
              : undefined;
    return { node: named[i] ?? { value: only, by: "default" }, ...(stack === undefined ? {} : { stack }) };
  });
  return { attributions, aliases };
}

/** Prompt name → folder's name, for folders in which all prompts show one name. */
function aliasesOf(all: readonly Surroundings[], folders: readonly FolderHint[]): ReadonlyMap<string, string> {
  const hosts = new Map<string, Set<string>>();
  all.forEach((s, i) => {
    const node = folders[i]!.node;
    if (node === undefined || s.place.host === undefined || s.place.host === UNNAMED_MACHINE) return;
    const observed = hosts.get(node) ?? new Set<string>();
    hosts.set(node, observed.add(shortName(s.place.host)));
  });
  const aliases = new Map<string, string>();
  for (const [node, seen] of hosts) {
    const [host] = seen;
    // A folder's own name among the prompts of others: they are others.
    if (seen.size === 1 && host !== undefined && host !== node && !hosts.has(host)) aliases.set(host, node);
  }
  return aliases;
}

/** `k8s-1` and `k8s-1.example.com` are one machine, called by the shorter name. */
function fullNames(all: readonly Surroundings[]): ReadonlyMap<string, string> {
  const hosts = new Set(all.flatMap((s) => (s.place.host === undefined ? [] : [s.place.host])));
  const names = new Map<string, string>();
  for (const host of hosts) if (hosts.has(shortName(host))) names.set(host, shortName(host));
  return names;
}

/** Without `nodes/`, two or more folders that each hold dumps of a node are a node each. */
function foldersAsNodes(all: readonly Surroundings[], folders: readonly FolderHint[]): ReadonlyMap<string, string> {
  if (folders.some((f) => f.node !== undefined)) return new Map();
  const names = new Map<string, string>();
  all.forEach((s, i) => {
    const { folder, stack } = folders[i]!;
    const last = folder.slice(folder.lastIndexOf("/") + 1);
    if (s.ofNode && stack === undefined && last !== "" && !NOT_A_NODE.test(last)) names.set(folder, last);
  });
  return new Set(names.values()).size > 1 ? names : new Map();
}

/** `node1-iptables-save.txt` beside `node1-ip-route.txt`: a prefix that several files share names the node. */
function sharedPrefixes(all: readonly Surroundings[]): ReadonlySet<string> {
  const paths = new Map<string, Set<string>>();
  for (const s of all) {
    if (s.prefix === undefined || NOT_A_NODE.test(s.prefix)) continue;
    const found = paths.get(s.prefix) ?? new Set<string>();
    paths.set(s.prefix, found.add(s.path));
  }
  return new Set([...paths].flatMap(([prefix, seen]) => (seen.size > 1 ? [prefix] : [])));
}
