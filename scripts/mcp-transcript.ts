// Writes what an agent-like client asked and was told into docs/mcp.md, between its marks.
import { readFileSync, writeFileSync } from "node:fs";
import { solvedCases, transcriptText } from "../test/mcp/transcript.ts";

const page = new URL("../docs/mcp.md", import.meta.url);
const text = transcriptText(await solvedCases());
const marked = readFileSync(page, "utf8").replace(
  /<!-- transcript -->\n[\s\S]*<!-- \/transcript -->/,
  () => `<!-- transcript -->\n${text}\n<!-- /transcript -->`,
);
writeFileSync(page, marked);
