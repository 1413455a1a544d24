import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import type { Answer, Engine } from "./engine.ts";

/** One tool: one file, which adds it to the server. */
export type Register = (server: McpServer, engine: Engine) => void;

/** Nothing is written, nothing is run, nothing outside the roots is touched, and the same question has the same answer. */
export const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/** A link to a line beside the answer, for clients that show links. */
const linksOf = (lines: readonly { readonly uri?: string; readonly file: string; readonly line: number }[]) => {
  const seen = new Map(lines.flatMap((l) => (l.uri === undefined ? [] : [[l.uri, l] as const])));
  return [...seen.entries()].slice(0, MOST_LINKS).map(([uri, { file, line }]) => ({
    type: "resource_link" as const,
    uri,
    name: `${file}:${line}`,
    mimeType: "text/plain",
  }));
};
const MOST_LINKS = 12;

export const answered = (
  text: string,
  structuredContent: Record<string, unknown>,
  evidence: readonly { readonly uri?: string; readonly file: string; readonly line: number }[] = [],
): CallToolResult => ({
  content: [{ type: "text", text: text.slice(0, MOST_TEXT) }, ...linksOf(evidence)],
  structuredContent,
});
const MOST_TEXT = 4_000;

/** A request that cannot be answered as it stands: what is wrong, and what to ask instead. */
export const refused = (message: string, next: string): CallToolResult => ({
  isError: true,
  content: [{ type: "text", text: `${message.slice(0, MOST_TEXT)}\nNext: ${next}` }],
});

/** Asks the engine, and tells the agent what to do where it refuses. */
export function withAnswer<T>(
  engine: Engine,
  answer: Answer<T>,
  then: (value: T) => CallToolResult,
  next = "correct the argument that is named and call again",
): CallToolResult {
  if (answer.ok) return then(answer.value);
  return refused(answer.message, `${next}. Cases lie under ${engine.roots.join(", ")}.`);
}
