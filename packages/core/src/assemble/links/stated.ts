import type { CaseFile, Device, Link, Stack } from "../../model/index.ts";
import { endKey } from "./pairs.ts";

/** The links of case.yaml, and the stacks with the devices they name, which need not be in any dump. */
export function statedLinks(
  stacks: readonly Stack[],
  caseFile: CaseFile | undefined,
): { readonly stacks: readonly Stack[]; readonly links: readonly Link[] } {
  if (caseFile === undefined || caseFile.links.length === 0) return { stacks, links: [] };
  let all = stacks;
  const taken = new Set<string>();
  const links: Link[] = [];
  for (const link of caseFile.links) {
    const known = link.ends.filter((end) => all.some((s) => s.name === end.stack));
    const ends = known.filter((end) => !taken.has(endKey(end)));
    if (link.type === "veth" ? ends.length !== 2 : ends.length === 0) continue;
    for (const end of ends) {
      taken.add(endKey(end));
      all = all.map((s) =>
        s.name === end.stack ? withDevice(s, end.device, link.type === "veth" ? "veth" : "ethernet", link) : s,
      );
    }
    links.push(
      link.type === "veth"
        ? { type: "veth", ends: [ends[0]!, ends[1]!], origin: link.origin }
        : { type: "l2", name: link.name, ends, origin: link.origin },
    );
  }
  return { stacks: all, links };
}

function withDevice(stack: Stack, name: string, kind: Device["kind"], { origin }: Pick<Link, "origin">): Stack {
  const known = stack.devices.items.find((d) => d.name === name);
  if (known !== undefined) return stack;
  const device: Device = { name, kind, up: true, carrier: true, addresses: [], addressesKnown: true, origin };
  return { ...stack, devices: { ...stack.devices, items: [...stack.devices.items, device] } };
}
