import { text } from "../../../messages/index.ts";
import type { Remedy } from "../../fix.ts";

/** The cloud no longer asks whether a card owns the address it sends from. */
export const srcDstCheckOff: Remedy = {
  code: "SRC_DST_CHECK_OFF",
  cures: ["CLOUD_SRC_DST_CHECK"],
  propose: ({ leg }) =>
    leg.drop !== "FABRIC_SRC_DST_CHECK"
      ? []
      : [
          {
            code: "SRC_DST_CHECK_OFF",
            summary: text("fix.src_dst_check_off", { stack: leg.stack }),
            commands: [],
            outside: {
              where: text("where.card", { stack: leg.stack }),
              touches: () => true,
              change: (w) => ({ ...w, fabric: { ...w.fabric, srcDstCheck: false, open: [] } }),
            },
            lasting: [{ how: text("lasting.src_dst_check"), lines: [] }],
          },
        ],
};
