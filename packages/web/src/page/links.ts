import type { QuestionOptions } from "@hairpin/core/diagnose/index.ts";
import type { Query } from "./protocol.ts";

/** What stands behind the # of an address: a worked case and, where it is another than its own, the question. */
export interface CaseLink {
  readonly kind: "case";
  readonly name: string;
  readonly query: Query | undefined;
}

/** Dumps and question themselves, packed. What stands behind a # is never sent to a server. */
export interface StateLink {
  readonly kind: "state";
  readonly packed: string;
}

const OPTIONS = ["from", "to", "proto", "sees", "in", "node", "via", "bind", "sport", "size", "family"] as const;

export function readLink(hash: string): CaseLink | StateLink | undefined {
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  const packed = params.get("state");
  if (packed !== null) return { kind: "state", packed };
  const name = params.get("case");
  if (name === null) return undefined;
  const asked = OPTIONS.flatMap((o) => (params.get(o) === null ? [] : [[o, params.get(o)!] as const]));
  const question: QuestionOptions = Object.fromEntries(asked);
  const patches = params.getAll("try").map((command) => ({ name: command, commands: command.split("\n") }));
  const assume = params.getAll("assume");
  const own = asked.length + patches.length + assume.length > 0;
  return { kind: "case", name, query: own ? { question, assume, patches } : undefined };
}

/** The link of a worked case; the question is in it only where it is not the case's own. */
export function caseLink(name: string, query: Query, own: Query): string {
  const params = new URLSearchParams({ case: name });
  if (JSON.stringify(query) !== JSON.stringify(own)) {
    for (const option of OPTIONS) {
      const value = query.question[option];
      if (value !== undefined) params.set(option, String(value));
    }
    for (const patch of query.patches) params.append("try", patch.commands.join("\n"));
    for (const fact of query.assume) params.append("assume", fact);
  }
  return `#${params}`;
}

/** Mail and chat programs cut what is longer. */
export const MOST_LINK = 24_000;

export async function packState(json: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(json), new CompressionStream("deflate-raw"));
  let binary = "";
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpackState(packed: string): Promise<string> {
  const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"), 100_000_000));
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  transform: CompressionStream | DecompressionStream,
  most = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) throw new Error("what the link holds is too large");
    pieces.push(value);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}
