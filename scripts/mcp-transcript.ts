// Writes what an agent-like client asked and was told into docs/mcp.md and its Chinese version, between their marks.
import { readFileSync, writeFileSync } from "node:fs";
import { solvedCases, transcriptText } from "../test/mcp/transcript.ts";

const text = transcriptText(await solvedCases());
for (const name of ["../docs/mcp.md", "../docs/zh/mcp.md"]) {
  const page = new URL(name, import.meta.url);
  const marked = readFileSync(page, "utf8").replace(
    /<!-- transcript -->\n[\s\S]*<!-- \/transcript -->/,
    () => `<!-- transcript -->\n${text}\n<!-- /transcript -->`,
  );
  writeFileSync(page, marked);
}
