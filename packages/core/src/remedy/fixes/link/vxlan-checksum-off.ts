import { text } from "../../../messages/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { command } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { foundAt } from "../../scene.ts";

/** The kernel computes checksums of what goes into the tunnel itself, instead of leaving it to a card that gets it wrong. */
export const vxlanChecksumOff: Remedy = {
  code: "VXLAN_CHECKSUM_OFF",
  cures: ["VXLAN_TX_CSUM_OFFLOAD"],
  propose: (scene) =>
    foundAt(scene, vxlanChecksumOff.cures).flatMap((stack) => {
      const tunnels = stack.devices.items.filter((d) => d.kind === "vxlan");
      if (tunnels.length === 0) return [];
      return [
        {
          code: "VXLAN_CHECKSUM_OFF",
          summary: text("fix.vxlan_checksum_off", { stack: stack.name, devices: tunnels.map((d) => d.name) }),
          commands: tunnels.map((d) =>
            command(stack.name, ["ethtool", "-K", nameWord(d.name), "tx-checksum-ip-generic", "off"]),
          ),
        },
      ];
    }),
};
