import { text } from "../../../messages/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { servicesAt } from "../../../trace/index.ts";
import { command } from "../../commands.ts";
import type { Candidate, Remedy } from "../../fix.ts";
import { isOurs, stackOf } from "../../scene.ts";

/** The Service sends to the port that is listened on; for good, its targetPort says so. */
export const targetPortCorrect: Remedy = {
  code: "TARGET_PORT_CORRECT",
  cures: ["TARGET_PORT_MISMATCH"],
  propose: ({ findings, world, question }) =>
    findings
      .filter((f) => f.code === "TARGET_PORT_MISMATCH")
      .flatMap(({ stack: name, without = [] }): Candidate[] => {
        // The server that the changed rule leads to: its port is the one that is listened on.
        const port = without[0]?.words.flatMap((w) => /^[\d.]{7,15}:(\d{1,5})$/.exec(w)?.[1] ?? []).at(-1);
        if (!isOurs(stackOf(world, name)) || port === undefined) return [];
        const commands = without.map(({ words }) => command(name, words));
        const service = servicesAt(world, question.to).find((s) => s.clusterIps.includes(question.to));
        const at = service?.ports.findIndex((p) => p.port === question.port && p.protocol === question.protocol) ?? -1;
        const patch =
          service === undefined || at < 0
            ? []
            : [
                {
                  how: text("lasting.target_port"),
                  lines: [
                    `kubectl -n ${nameWord(service.namespace)} patch service ${nameWord(service.name)} --type=json -p '[{"op":"replace","path":"/spec/ports/${at}/targetPort","value":${port}}]'`,
                  ],
                },
              ];
        return [
          {
            code: "TARGET_PORT_CORRECT",
            summary: text("fix.target_port_correct", { stack: name, port }),
            commands,
            lasting: patch,
          },
        ];
      }),
};
