import type { Stack } from "../../model/index.ts";
import type { Element, NotShown } from "../element.ts";
import { Names } from "../shape/item.ts";
import { differingDevices } from "./devices.ts";
import { differingIpvs } from "./ipvs.ts";
import { withoutOwnRoutes } from "./own-routes.ts";
import { differingRoutes, differingRoutingRules } from "./routes.ts";
import { differingSets } from "./sets.ts";
import { differingSysctls } from "./sysctls.ts";
import { differingTables } from "./tables.ts";

/** All that is written otherwise in two stacks and could mean something else. */
export function differingElements(
  a: Stack,
  b: Stack,
  sameNode: boolean,
): { readonly elements: readonly Element[]; readonly notShown: readonly NotShown[] } {
  const { elements, notShown } = differingTables(a, b, new Names());
  differingSets(a, b, elements, notShown);
  differingIpvs(a, b, sameNode, elements, notShown);
  differingRoutingRules(a, b, elements, notShown);
  if (sameNode) differingRoutes(a, b, elements, notShown);
  else differingRoutes(withoutOwnRoutes(a, b), withoutOwnRoutes(b, a), elements, notShown);
  differingSysctls(a, b, elements, notShown);
  // Two nodes have pods, cards and addresses of their own: that is what makes them two.
  if (sameNode) differingDevices(a, b, elements, notShown);
  const once = new Map(notShown.map((n) => [`${n.side} ${n.where}`, n]));
  return { elements, notShown: [...once.values()] };
}
