import { type Lang, say, text } from "@hairpin/core/messages/index.ts";
import type { Recorded } from "@hairpin/core/sweep/index.ts";
import { stringify } from "yaml";
import { flowsText } from "./counted.ts";

/** What holds today, a line each, for review and for committing. */
export function expectationsYaml(recorded: Recorded, title: string, lang: Lang): string {
  const { expectations, undetermined, leftOut, notAsked } = recorded;
  const head = [
    text("expect.recorded", { title: title.replace(/[\r\n]/g, " ") }),
    ...(undetermined > 0 ? [text("expect.not-recorded", { flows: flowsText(undetermined, lang) })] : []),
    ...(notAsked > 0 ? [text("expect.not-asked", { flows: flowsText(notAsked, lang) })] : []),
    ...(leftOut > 0 ? [text("expect.left-out", { flows: flowsText(leftOut, lang) })] : []),
  ];
  const lines = expectations.map((e) => `- ${stringify(e, { collectionStyle: "flow", lineWidth: 0 }).trim()}`);
  return `${[...head.map((one) => `# ${say(one, lang)}`), ...(lines.length === 0 ? ["[]"] : lines)].join("\n")}\n`;
}
