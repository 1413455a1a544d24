import type { Recorded } from "@hairpin/core/sweep/index.ts";
import { stringify } from "yaml";

/** What holds today, a line each, for review and for committing. */
export function expectationsYaml({ expectations, undetermined, leftOut }: Recorded, title: string): string {
  const head = [
    `# Recorded from ${title.replace(/[\r\n]/g, " ")}. Names may have globs.`,
    ...(undetermined > 0
      ? [`# ${undetermined} flows are undetermined or work sometimes: nothing is expected of them.`]
      : []),
    ...(leftOut > 0 ? [`# ${leftOut} flows are left out: their group is mixed.`] : []),
  ];
  const lines = expectations.map((e) => `- ${stringify(e, { collectionStyle: "flow", lineWidth: 0 }).trim()}`);
  return `${[...head, ...(lines.length === 0 ? ["[]"] : lines)].join("\n")}\n`;
}
