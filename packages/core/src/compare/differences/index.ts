import type { Stack } from "../../model/index.ts";
import type { Element, NotShown } from "../element.ts";
import { Names } from "../shape/item.ts";
import { differingDevices } from "./devices.ts";
import { differingIpvs } from "./ipvs.ts";
import { differingRoutes, differingRoutingRules } from "./routes.ts";
import { differingSets } from "./sets.ts";
import { differingSysctls } from "./sysctls.ts";
import { differingTables } from "./tables.ts";

/** All that is written otherwise in two stacks and could mean something else. */
export function differingElements(
  a: Stack,
  b: Stack,
): { readonly elements: readonly Element[]; readonly notShown: readonly NotShown[] } {
  const { elements, notShown } = differingTables(a, b, new Names());
  differingSets(a, b, elements, notShown);
  differingIpvs(a, b, elements, notShown);
  differingRoutingRules(a, b, elements, notShown);
  differingRoutes(a, b, elements, notShown);
  differingSysctls(a, b, elements, notShown);
  differingDevices(a, b, elements, notShown);
  const once = new Map(notShown.map((n) => [`${n.side} ${n.where}`, n]));
  return { elements, notShown: [...once.values()] };
}
