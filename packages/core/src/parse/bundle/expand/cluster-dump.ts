import type { CaseInput } from "../../case/input.ts";

/** How `kubectl cluster-info dump` calls the files of a folder, by the kind of list that it prints in their stead. */
const FILES: ReadonlyMap<string, string> = new Map([
  ["NodeList", "nodes"],
  ["ServiceList", "services"],
  ["PodList", "pods"],
  ["EndpointsList", "endpoints"],
  ["ReplicationControllerList", "replication-controllers"],
]);
const OBJECT_ENDS = /^\}\s*$/;
const LOGS = /^==== (?:START|END) logs for container /;

/** `kubectl cluster-info dump` to standard output: JSON objects one after another, then the logs. Each object becomes a file. */
export function clusterDump(input: CaseInput): readonly CaseInput[] | undefined {
  const { text } = input;
  if (text === undefined || !/^\s*\{\s*"(?:kind|apiVersion|metadata)":/.test(text.slice(0, 200))) return undefined;
  if (!/^\}\s*\n\s*\{\s*$/m.test(text) && !/^==== START logs for container /m.test(text)) return undefined;
  const made: CaseInput[] = [];
  let lines: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (LOGS.test(line)) break;
    lines.push(line);
    if (!OBJECT_ENDS.test(line)) continue;
    const object = lines.join("\n");
    lines = [];
    const kind = /^\s*"kind": "(\w+)"/m.exec(object)?.[1] ?? "";
    const name = FILES.get(kind);
    if (name === undefined) continue;
    const namespace = /^\s*"namespace": "([\w.-]+)"/m.exec(object)?.[1] ?? `list-${made.length}`;
    const path = kind === "NodeList" ? "nodes.json" : `${namespace}/${name}.json`;
    const within = `${input.within ?? input.path}/${path}`;
    // A list of nothing does not say of which namespace it is.
    if (!made.some((m) => m.within === within))
      made.push({ path: `${input.path}/${path}`, within, text: `${object}\n` });
  }
  return made.length < 2 ? undefined : made;
}
