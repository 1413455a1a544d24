import { type Device, isChildCard, type Link, type LinkEnd, type Stack } from "../../model/index.ts";

/** The card of which a macvlan or ipvlan is a child: by name in its own stack, by index in its host's. */
function parentOf(stack: Stack, device: Device, stacks: readonly Stack[]): LinkEnd | undefined {
  const own = stack.devices.items.find((d) => d.name === device.lower);
  if (own !== undefined) return { stack: stack.name, device: own.name };
  const host = stacks.find((s) => s.name === stack.node);
  const { peer } = device;
  const parent = host?.devices.items.find((d) =>
    peer?.index === undefined ? d.name === (peer?.name ?? device.lower) : d.index === peer.index,
  );
  return host === undefined || parent === undefined ? undefined : { stack: host.name, device: parent.name };
}

const isEnd = (a: LinkEnd, b: LinkEnd): boolean => a.stack === b.stack && a.device === b.device;

/** Follows macvlan_handle_frame(): a child is on the wire of its parent, where case.yaml or the dumps describe one. */
export function withChildren(links: readonly Link[], stacks: readonly Stack[]): readonly Link[] {
  const children = stacks.flatMap((stack) =>
    stack.devices.items.filter(isChildCard).flatMap((device) => {
      const parent = parentOf(stack, device, stacks);
      return parent === undefined ? [] : [{ parent, end: { stack: stack.name, device: device.name } }];
    }),
  );
  return links.map((link) => {
    const more = children.filter(
      (c) => link.ends.some((e) => isEnd(e, c.parent)) && !link.ends.some((e) => isEnd(e, c.end)),
    );
    if (link.type === "fabric" || more.length === 0) return link;
    const { parent } = more[0]!;
    const name = link.type === "l2" ? link.name : `${parent.stack}:${parent.device}`;
    return { type: "l2", name, ends: [...link.ends, ...more.map((c) => c.end)], origin: link.origin };
  });
}
