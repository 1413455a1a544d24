import { text } from "../../messages/index.ts";
import { command } from "../commands.ts";
import type { Remedy } from "../fix.ts";
import { isOurs, lastOf, stepsOf } from "../scene.ts";
import { nameWord } from "../shell.ts";

/** A frame may leave a bridge by the port it came in by. */
export const hairpinOn: Remedy = {
  code: "HAIRPIN_ON",
  cures: ["HAIRPIN_OFF"],
  propose: ({ leg, stack }) => {
    if (!isOurs(stack)) return [];
    const ports = stack.devices.items.filter((d) => d.master !== undefined);
    const arrived = lastOf(stepsOf(leg, "receive").filter((s) => s.stack === stack.name))?.device;
    const port = ports.find((d) => leg.origins.includes(d.origin)) ?? ports.find((d) => d.name === arrived);
    if (port === undefined) return [];
    const words = ["bridge", "link", "set", "dev", nameWord(port.name), "hairpin", "on"];
    return [
      {
        code: "HAIRPIN_ON",
        summary: text("fix.hairpin_on", { port: port.name, stack: stack.name }),
        commands: [command(stack.name, words)],
        lasting: [
          { how: text("lasting.kubelet_hairpin"), lines: ["hairpinMode: hairpin-veth"] },
          { how: text("lasting.cni_hairpin"), lines: ['"hairpinMode": true'] },
        ],
      },
    ];
  },
};
