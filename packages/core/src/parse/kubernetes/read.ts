import type { DumpContext, Reading } from "../dialect.ts";
import type { Source } from "../source.ts";
import { countsOf } from "./counts.ts";
import { readJson } from "./json.ts";
import { ObjectContext } from "./objects/context.ts";
import { Gathered, gather } from "./objects/index.ts";
import { readYaml } from "./yaml/read.ts";
import { Mapping, type Value } from "./yaml/value.ts";

/** `-n shop`: the namespace of what does not say one. */
export function namespaceOf(context: DumpContext): string | undefined {
  const words = context.command ?? [];
  for (let i = 0; i < words.length; i++) {
    const match = /^(?:-n|--namespace)(?:=(.+))?$/.exec(words[i]!);
    if (match !== null) return match[1] ?? words[i + 1];
    if (/^-n[a-z0-9]/.test(words[i]!)) return words[i]!.slice(2);
  }
  return undefined;
}

const RESOURCES: ReadonlyMap<string, string> = new Map([
  ["nodes", "Node"],
  ["pods", "Pod"],
  ["services", "Service"],
  ["endpoints", "Endpoints"],
  ["endpointslices", "EndpointSlice"],
  ["networkpolicies", "NetworkPolicy"],
  ["configmaps", "ConfigMap"],
]);

/** `kubectl get nodes`: the kind of what does not say one. */
function kindAsked({ command = [] }: DumpContext): string | undefined {
  const at = command.indexOf("get");
  return at < 0 ? undefined : RESOURCES.get(command[at + 1] ?? "");
}

/** Objects as `kubectl get -o yaml` or `-o json` prints them, or as people write them. Nothing of a Secret is kept or quoted. */
export function readObjects(source: Source, context: DumpContext): Reading {
  const gathered = new Gathered();
  const objects = new ObjectContext(source, namespaceOf(context));
  const start = source.lines.find((l) => l.trim() !== "")?.trimStart()[0];
  const json = start === "{" || start === "[" ? readJson(source) : undefined;
  // Objects of a List are read one by one; those that leave their kind to the List wait for its end.
  const take = (item: Mapping): boolean => {
    if (item.get("kind") === undefined) return false;
    gather(item, gathered, objects, undefined, 1);
    return true;
  };
  const documents = json === undefined ? readYaml(source, take) : undefined;
  const asked = kindAsked(context);
  const sort = (value: Value): void => {
    const list = value instanceof Mapping && value.get("items") !== undefined;
    gather(value, gathered, objects, asked === undefined ? undefined : `${asked}${list ? "List" : ""}`);
  };
  if (json?.value !== undefined) sort(json.value);
  for (const { value } of documents?.documents ?? []) sort(value);
  const syntax = json?.diagnostics ?? documents?.diagnostics ?? [];
  const lineOf = (i: number) => source.numbers?.[i] ?? source.firstLine + i;
  const secret = gathered.secrets.map(([from, to]) => [lineOf(from), lineOf(to)] as const);
  const diagnostics = [...syntax, ...objects.diagnostics].filter(
    (d) => d.severity === "note" || !secret.some(([from, to]) => d.line >= from && d.line <= to),
  );
  const { otherDatapaths } = gathered;
  const shown = otherDatapaths.length === 0 ? gathered.objects : { ...gathered.objects, otherDatapaths };
  return { facts: [{ kind: "kubernetes", objects: shown }], diagnostics, counts: countsOf(gathered) };
}
