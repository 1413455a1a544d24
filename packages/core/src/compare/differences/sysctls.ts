import { CONSULTED_CONF6, CONSULTED_SYSCTLS } from "../../datapath/index.ts";
import type { Stack } from "../../model/index.ts";
import type { Element, NotShown } from "../element.ts";

const PLAIN: ReadonlySet<string> = new Set([...CONSULTED_SYSCTLS, "net.ipv4.ip_forward"]);
const CONF: ReadonlySet<string> = new Set(
  CONSULTED_SYSCTLS.filter((k) => k.startsWith("conf.")).map((k) => k.slice("conf.".length)),
);

const CONF6: ReadonlySet<string> = new Set(CONSULTED_CONF6);

const familyOf = (key: string): Pick<Element, "family"> =>
  key.startsWith("net.ipv4.")
    ? { family: 4 }
    : key.startsWith("net.ipv6.") || key.endsWith("ip6tables")
      ? { family: 6 }
      : {};

/** Whether a walk asks for this switch at all. */
function decides(key: string): boolean {
  if (PLAIN.has(key)) return true;
  const conf = /^net\.ipv([46])\.conf\.[^.]+\.([a-z0-9_]+)$/.exec(key);
  return conf !== null && (conf[1] === "6" ? CONF6 : CONF).has(conf[2]!);
}

export function differingSysctls(a: Stack, b: Stack, elements: Element[], notShown: NotShown[]): void {
  for (const key of new Set([...a.sysctls.keys(), ...b.sysctls.keys()])) {
    if (!decides(key)) continue;
    const [x, y] = [a.sysctls.get(key), b.sysctls.get(key)];
    if (x?.value === y?.value) continue;
    const iface = /^net\.ipv[46]\.conf\.([^.]+)\./.exec(key)?.[1]?.replace(/\//g, ".");
    if (x === undefined || y === undefined) {
      // A switch of a device that only one side has goes with the device.
      const there = (s: Stack): boolean => s.devices.items.some((d) => d.name === iface);
      if (iface === undefined || iface === "all" || iface === "default" || (there(a) && there(b)))
        notShown.push({ where: key, side: x === undefined ? "A" : "B" });
      continue;
    }
    const hints = iface === undefined || iface === "all" || iface === "default" ? [{}] : [{ in: iface }, {}];
    elements.push({
      kind: "sysctl",
      where: key,
      change: "changed",
      a: [x.origin],
      b: [y.origin],
      rules: [],
      hints,
      ...familyOf(key),
      alone: (node) => ({ ...node, sysctls: new Map(node.sysctls).set(key, y) }),
    });
  }
}
