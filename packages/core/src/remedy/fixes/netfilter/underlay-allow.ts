import { text } from "../../../messages/index.ts";
import { formatAddress } from "../../../net/index.ts";
import type { Remedy } from "../../fix.ts";

/** The firewall between the machines lets this flow through. */
export const underlayAllow: Remedy = {
  code: "UNDERLAY_ALLOW",
  cures: ["UNDERLAY_FILTER"],
  propose: ({ leg, findings, branch }) => {
    if (!findings.some((f) => f.code === "UNDERLAY_FILTER")) return [];
    const { src, dst } = leg.drop === "FABRIC_DENY" ? leg.final : branch.request.final;
    return [
      {
        code: "UNDERLAY_ALLOW",
        summary: text("fix.underlay_allow", { source: formatAddress(src), address: formatAddress(dst) }),
        commands: [],
        outside: {
          where: text("where.between"),
          touches: () => true,
          change: (w) => ({ ...w, fabric: { ...w.fabric, deny: [] } }),
        },
        lasting: [{ how: text("lasting.security_group"), lines: [] }],
      },
    ];
  },
};
