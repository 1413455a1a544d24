import { type MessageId, type Text, text } from "@hairpin/core/messages/index.ts";
import { lookup } from "@hairpin/core/model/lookup.ts";

export type Path = readonly PropertyKey[];

/** What the schemas themselves find wrong with a word: a shape carries its id as the message. */
export type Complaint = Extract<MessageId, `complaint.not-${string}`>;

export interface Issue {
  readonly code?: string;
  readonly path: PropertyKey[];
  readonly message: string;
  readonly errors?: readonly (readonly Issue[])[];
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[];
  readonly expected?: string;
}

const OURS: ReadonlySet<string> = new Set<Complaint>([
  "complaint.not-address",
  "complaint.not-prefix",
  "complaint.not-protocol",
  "complaint.not-link-end",
  "complaint.not-port-mapping",
  "complaint.not-port-range",
  "complaint.not-topology",
  "complaint.not-mac",
]);

const KINDS: Readonly<Record<string, Text>> = lookup({
  object: text("complaint.object"),
  record: text("complaint.object"),
  array: text("complaint.list"),
  string: text("complaint.text"),
  number: text("complaint.number"),
  int: text("complaint.number"),
  boolean: text("complaint.boolean"),
});

/** The most telling complaint: of a union, that of the branch that got furthest. */
export function deepest(issue: Issue, above: Path = []): readonly [Path, Text] {
  const path = [...above, ...issue.path];
  if (issue.code === "invalid_union" && issue.errors !== undefined) {
    const inner = issue.errors.map((e) => e[0]).filter((e): e is Issue => e !== undefined);
    const best = [...inner].sort((a, b) => b.path.length - a.path.length)[0];
    if (best !== undefined && best.path.length > 0) return deepest(best, path);
    return [path, text("complaint.misfit")];
  }
  if (issue.code === "unrecognized_keys") return [[...path, issue.keys?.[0] ?? ""], text("complaint.unknown-key")];
  if (issue.code === "invalid_value")
    return [path, text("complaint.one-of", { values: (issue.values ?? []).join(", ") })];
  const kind = KINDS[issue.expected ?? ""];
  if (issue.code === "invalid_type" && kind !== undefined) return [path, text("complaint.must-be", { kind })];
  if (issue.code === "too_big" || issue.code === "too_small") return [path, text("complaint.out-of-range")];
  return [path, OURS.has(issue.message) ? text(issue.message as Complaint) : text("complaint.misfit")];
}

/** One complaint with its place, for people. */
export const complaintText = (file: string, line: number, path: Path, what: Text): Text =>
  text("complaint.at", {
    file,
    line,
    where: path.length === 0 ? text("complaint.the-file") : path.join("."),
    what,
  });

/** YAML that cannot be read, in the words of its reader. */
export const brokenYaml = (file: string, line: number, detail: string): Text =>
  text("complaint.yaml", { file, line, detail });
