import type { PatchRefusal } from "../../../model/faults/patch-refusal.ts";
import type { Origin } from "../../../model/index.ts";
import { shellWords } from "../../../parse/shell-words.ts";
import { listOf, type ServiceField } from "./field.ts";

const OBJECT = /^(?:svc|service|services)\/([^\s/]+)\/([^\s/]+)\s+(?:\.?spec\.)([A-Za-z]+)\s*=\s*(.*)$/;

/** `svc/NS/NAME spec.field=value`, or `kubectl -n NS patch service NAME -p '{"spec":{…}}'`. Undefined: neither of them. */
export function parseServiceFields(text: string, origin: Origin): readonly ServiceField[] | PatchRefusal | undefined {
  const typed = OBJECT.exec(text);
  if (typed !== null) {
    const [, namespace = "", name = "", field = "", value = ""] = typed;
    return [{ namespace, name, field, value: value.trim().replace(/^(["'])(.*)\1$/, "$2"), origin }];
  }
  if (/^(?:svc|service|services)\/[^\s/]+\/[^\s/]+(?:\s|$)/.test(text)) return { kind: "say-field" };
  const words = shellWords(text).map((w) => w.text);
  const at = words[0] === "sudo" ? 1 : 0;
  return words[at]?.replace(/^.*\//, "") === "kubectl" ? kubectl(words.slice(at + 1), origin) : undefined;
}

function kubectl(words: readonly string[], origin: Origin): readonly ServiceField[] | PatchRefusal {
  let namespace = "default";
  let patch: string | undefined;
  const rest: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const [option, inline] = /^(--?[a-z-]+)=(.*)$/s.exec(word)?.slice(1) ?? [word, undefined];
    if (option === "-n" || option === "--namespace") namespace = inline ?? words[++i] ?? namespace;
    else if (option === "-p" || option === "--patch") patch = inline ?? words[++i];
    else if (option === "--type") i += inline === undefined ? 1 : 0;
    else rest.push(word);
  }
  const [verb, kind = "", named] = rest;
  const [type, joined] = kind.split("/");
  const name = joined ?? named;
  if (verb !== "patch" || !/^(?:svc|services?)$/.test(type ?? "") || name === undefined || patch === undefined)
    return { kind: "only-modelled", tool: "kubectl", form: `patch service NAME -p '{"spec":{…}}'` };
  try {
    const spec = (JSON.parse(patch) as { readonly spec?: Readonly<Record<string, unknown>> }).spec ?? {};
    return Object.entries(spec).map(([field, value]) => ({ namespace, name, field, value: shownValue(value), origin }));
  } catch {
    return { kind: "not-json" };
  }
}

const shownValue = (value: unknown): string =>
  Array.isArray(value) ? listOf(value.join(",")).join(",") : value === null ? "" : String(value);
