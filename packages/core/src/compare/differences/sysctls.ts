import { CONSULTED_CONF6, CONSULTED_SYSCTLS } from "../../datapath/index.ts";
import type { Stack, SysctlEntry } from "../../model/index.ts";
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

/** Switches of which the kernel takes one of two, or both together: `IN_DEV_MAXCONF`, `IN_DEV_ORCONF`, `IN_DEV_ANDCONF` of conf.all and the device's own. */
const switchOf = (key: string): string | undefined => {
  const conf = /^(net\.ipv[46])\.conf\.[^.]+\.([a-z0-9_]+)$/.exec(key);
  return conf === null ? undefined : `${conf[1]} ${conf[2]}`;
};

export function differingSysctls(a: Stack, b: Stack, elements: Element[], notShown: NotShown[]): void {
  const together = switchedTogether(a, b);
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
    const all = together.get(switchOf(key) ?? "") ?? [];
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
      ...(all.length > 1 && { together: (node: Stack) => ({ ...node, sysctls: new Map([...node.sysctls, ...all]) }) }),
    });
  }
}

/** What B has of each switch that differs, on all devices. */
function switchedTogether(a: Stack, b: Stack): ReadonlyMap<string, readonly (readonly [string, SysctlEntry])[]> {
  const found = new Map<string, (readonly [string, SysctlEntry])[]>();
  for (const [key, value] of b.sysctls) {
    const name = decides(key) ? switchOf(key) : undefined;
    const before = a.sysctls.get(key);
    if (name === undefined || before === undefined || before.value === value.value) continue;
    const known = found.get(name);
    if (known === undefined) found.set(name, [[key, value]]);
    else known.push([key, value]);
  }
  return found;
}
