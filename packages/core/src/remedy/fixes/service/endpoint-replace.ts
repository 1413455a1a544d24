import { text } from "../../../messages/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { command } from "../../commands.ts";
import type { Candidate, Remedy } from "../../fix.ts";
import { isOurs, stackOf } from "../../scene.ts";

/** The rule that leads to an endpoint of yesterday leads to one of today; for good, kube-proxy is made to sync again. */
export const endpointReplace: Remedy = {
  code: "ENDPOINT_REPLACE",
  cures: ["STALE_ENDPOINT"],
  propose: ({ findings, world }) =>
    findings
      .filter((f) => f.code === "STALE_ENDPOINT")
      .flatMap(({ stack: name, without = [] }): Candidate[] => {
        if (!isOurs(stackOf(world, name)) || without.length === 0) return [];
        const commands = without.map(({ words }) => command(name, words));
        const restart = `kubectl -n kube-system delete pod -l k8s-app=kube-proxy --field-selector spec.nodeName=${nameWord(name)}`;
        return [
          {
            code: "ENDPOINT_REPLACE",
            summary: text("fix.endpoint_replace", { stack: name }),
            commands,
            lasting: [{ how: text("lasting.kube_proxy_sync"), lines: [restart] }],
          },
        ];
      }),
};
