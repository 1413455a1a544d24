import { text } from "../../../messages/index.ts";
import type { Device, World } from "../../../model/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { command } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, lastOf, stepsOf } from "../../scene.ts";

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
    const summary = text("fix.hairpin_on", { port: port.name, stack: stack.name });
    const lasting = [
      { how: text("lasting.cni_hairpin"), lines: ['"hairpinMode": true'] },
      { how: text("lasting.kubelet_hairpin"), lines: ["hairpinMode: hairpin-veth"] },
    ];
    if (port.origin.kind === "assumed") {
      // Nobody showed the port: what it is called is not known, only that it must be there.
      const on = (d: Device): Device => (d === port ? { ...d, port: { ...d.port, hairpin: true } } : d);
      const change = (w: World): World => ({
        ...w,
        stacks: w.stacks.map((s) =>
          s.name === stack.name ? { ...s, devices: { ...s.devices, items: s.devices.items.map(on) } } : s,
        ),
      });
      const unnamed = text("fix.hairpin_on.unnamed", { bridge: port.master ?? "?", stack: stack.name });
      const outside = { where: stack.name, touches: () => false, change };
      return [{ code: "HAIRPIN_ON", summary: unnamed, commands: [], outside, lasting }];
    }
    const words = ["bridge", "link", "set", "dev", nameWord(port.name), "hairpin", "on"];
    return [{ code: "HAIRPIN_ON", summary, commands: [command(stack.name, words)], lasting }];
  },
};
