import { text } from "../../../messages/index.ts";
import { shell } from "../../../model/shell.ts";
import { formatAddress, PROTO } from "../../../net/index.ts";
import type { Sign } from "../../sign.ts";
import { shownStacks, suspect } from "../claim.ts";

/** conn_reuse_mode 0: a reused source port goes where the old connection went, even to a server that was taken out. */
export const ipvsConnReuse: Sign = {
  codes: ["IPVS_CONN_REUSE"],
  detect: (look) =>
    shownStacks(look).flatMap((stack) => {
      const { question } = look;
      if (question.protocol !== PROTO.tcp) return [];
      const mode = stack.sysctls.get("net.ipv4.vs.conn_reuse_mode");
      if (mode?.value !== "0") return [];
      const service = stack.ipvs.services.find(
        (s) => s.key.kind === "address" && s.key.address === question.to && s.key.port === question.port,
      );
      const drained = service?.realServers.find((r) => r.weight === 0 && (r.inactiveConnections ?? 0) > 0);
      if (drained === undefined) return [];
      const address = formatAddress(drained.address);
      return [
        suspect({
          code: "IPVS_CONN_REUSE",
          stack: stack.name,
          summary: text("cause.ipvs_conn_reuse", { address }),
          evidence: [drained.origin, mode.origin],
          step: "ipvs",
          check: { text: text("check.ipvs-connections", { address }), command: shell`ipvsadm -lnc | grep ${address}` },
        }),
      ];
    }),
};
