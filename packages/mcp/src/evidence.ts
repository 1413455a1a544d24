import { type McpServer, ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server";
import { cut } from "./bounded.ts";
import type { Engine } from "./engine.ts";
import { EVIDENCE_TEMPLATE, evidencePlace } from "./evidence-uri.ts";

const MOST_LINES = 200;

/** Lines of a case by their address: those that answers link to, and the lines around them. */
export function registerEvidence(server: McpServer, engine: Engine): void {
  server.registerResource(
    "evidence",
    new ResourceTemplate(EVIDENCE_TEMPLATE, { list: undefined }),
    {
      title: "Lines of a case",
      description: `One line or a range (\`7\`, \`3-9\`; at most ${MOST_LINES}) of a file of a case, each with its number.`,
      mimeType: "text/plain",
    },
    (uri, variables) => {
      const place = evidencePlace(variables);
      const answer = place === undefined ? undefined : engine.lines(place.paths, place.file);
      if (place === undefined || answer === undefined || !answer.ok)
        throw new ResourceNotFoundError(uri.href, answer?.ok === false ? answer.message : "not a place in a case");
      const last = Math.min(place.to, place.from + MOST_LINES - 1, answer.value.length);
      const numbered = [];
      for (let n = Math.max(1, place.from); n <= last; n++) numbered.push(`${n}: ${cut(answer.value[n - 1]!, 2_000)}`);
      if (numbered.length === 0)
        throw new ResourceNotFoundError(uri.href, `${place.file} has ${answer.value.length} lines`);
      return { contents: [{ uri: uri.href, mimeType: "text/plain", text: numbered.join("\n") }] };
    },
  );
}
