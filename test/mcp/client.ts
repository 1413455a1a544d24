import { resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const root = resolve(import.meta.dirname, "../..");
export const CASES = resolve(root, "cases");
const program = resolve(root, "packages/cli/dist/hairpin.mjs");

/** The revision of July 2026, and the handshake before it. */
export const REVISIONS = { modern: "2026-07-28", older: "2025-11-25" } as const;

/** The official client, with the built program at the other end of its pipes. */
export async function connected(
  roots: readonly string[],
  revision: keyof typeof REVISIONS = "modern",
): Promise<Client> {
  const client = new Client(
    { name: "hairpin-test", version: "1.0.0" },
    revision === "modern" ? { versionNegotiation: { mode: { pin: REVISIONS.modern } } } : {},
  );
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, "mcp", ...roots.flatMap((r) => ["--root", r])],
      stderr: "pipe",
    }),
  );
  return client;
}

/** As it came over the wire: tests say what they expect of it. */
type Json = ReturnType<typeof JSON.parse>;

export interface Told {
  readonly text: string;
  readonly data: Record<string, Json>;
  readonly links: readonly string[];
  readonly failed: boolean;
}

export async function call(client: Client, name: string, args: Record<string, unknown>): Promise<Told> {
  const result = await client.callTool({ name, arguments: args });
  const content = result.content as readonly { type: string; text?: string; uri?: string }[];
  return {
    text: content.flatMap((c) => (c.type === "text" ? [c.text!] : [])).join("\n"),
    data: (result.structuredContent ?? {}) as Record<string, Json>,
    links: content.flatMap((c) => (c.type === "resource_link" ? [c.uri!] : [])),
    failed: result.isError === true,
  };
}

export const linesAt = async (client: Client, uri: string): Promise<string> =>
  (await client.readResource({ uri })).contents.map((c) => ("text" in c ? c.text : "")).join("\n");
