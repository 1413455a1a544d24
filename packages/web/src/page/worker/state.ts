import type { CaseInput } from "@hairpin/core/parse/index.ts";
import type { InputFile, Query } from "../protocol.ts";

export const STATE_SCHEMA = "hairpin/page/1";

interface State {
  readonly schema: typeof STATE_SCHEMA;
  readonly files: readonly { readonly path: string; readonly text?: string; readonly base64?: string }[];
  readonly query: Partial<Query>;
}

/** What was dropped and asked, as one file to hand on. */
export function stateText(inputs: readonly CaseInput[], query: Query): string {
  const files = inputs.map(({ path, text, bytes }) =>
    text === undefined ? { path, base64: toBase64(bytes ?? new Uint8Array()) } : { path, text },
  );
  return JSON.stringify({ schema: STATE_SCHEMA, files, query } satisfies State);
}

/** Undefined where the text is no state: a dump may be JSON too. */
export function readState(json: string): { readonly files: readonly InputFile[]; readonly query: Query } | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!isRecord(parsed) || parsed.schema !== STATE_SCHEMA || !Array.isArray(parsed.files)) return undefined;
  const files = parsed.files.flatMap((f: unknown): InputFile[] => {
    if (!isRecord(f) || typeof f.path !== "string") return [];
    if (typeof f.text === "string") return [{ path: f.path, bytes: new TextEncoder().encode(f.text) }];
    return typeof f.base64 === "string" ? [{ path: f.path, bytes: fromBase64(f.base64) }] : [];
  });
  return { files, query: readQuery(parsed.query) };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const strings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((v): v is string => typeof v === "string") : [];

function readQuery(input: unknown): Query {
  const query = isRecord(input) ? input : {};
  const question = isRecord(query.question) ? query.question : {};
  return {
    question: Object.fromEntries(
      Object.entries(question).filter(([, v]) => typeof v === "string" || typeof v === "number"),
    ),
    assume: strings(query.assume),
    patches: (Array.isArray(query.patches) ? query.patches : []).flatMap((p: unknown) =>
      isRecord(p) && typeof p.name === "string" ? [{ name: p.name, commands: strings(p.commands) }] : [],
    ),
  };
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(binary);
}

function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
