import type { World } from "../../model/index.ts";
import { type Family, familyOf, isLinkLocal, isLoopback } from "../../net/index.ts";
import { canonicalTo } from "./canonical-names.ts";
import { type QuestionSpec, resolveQuestion } from "./resolve-question.ts";

/**
 * The families in which a client would ask, the one it tries first in front (getaddrinfo() sorts by RFC 6724: IPv6 before IPv4 unless it has no
 * address to ask from): those of the name's addresses that the client has an address of, too.
 */
export const familiesAsked = (world: World, spec: QuestionSpec): readonly Family[] =>
  ([6, 4] as const).filter((family) => {
    const resolved = resolveQuestion(world, { ...spec, family });
    return resolved.ok === true && speaks(resolved.world, resolved.question.client, family);
  });

/** A Service is asked by its name, and a name has addresses of both families. */
export function asksByName(world: World, { to }: QuestionSpec): boolean {
  const name = to === undefined ? undefined : canonicalTo(world, to);
  return name !== undefined && "ok" in name && name.ok.startsWith("svc/");
}

function speaks(world: World, client: string, family: Family): boolean {
  const stack = world.stacks.find((s) => s.name === client);
  if (stack === undefined || stack.devices.items.some((d) => !d.addressesKnown)) return true;
  return stack.devices.items.some((d) =>
    d.addresses.some(
      ({ prefix: { address } }) => familyOf(address) === family && !isLoopback(address) && !isLinkLocal(address),
    ),
  );
}
