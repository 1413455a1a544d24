import type { PhysdevMatch } from "../../../../model/index.ts";
import { compact, matchExtension, option } from "../../rule/extension.ts";
import { flag, interfaceName } from "../../values/index.ts";

interface Options {
  isIn: true;
  in: string;
  isOut: true;
  out: string;
  isBridged: true;
}
const test = (values: { readonly negated: boolean } | undefined) => values && { negated: values.negated };
const set = (options: { readonly negated: boolean } | undefined) =>
  options && { value: true as const, negated: options.negated };

export const physdev = matchExtension<Options, PhysdevMatch>({
  name: "physdev",
  fields: {
    isIn: option("--physdev-is-in", flag, { negatable: true }),
    in: option("--physdev-in", interfaceName, { negatable: true }),
    isOut: option("--physdev-is-out", flag, { negatable: true }),
    out: option("--physdev-out", interfaceName, { negatable: true }),
    isBridged: option("--physdev-is-bridged", flag, { negatable: true }),
  },
  make: (all) =>
    Object.keys(all).length === 0
      ? "at least one option is needed"
      : compact<PhysdevMatch>({
          kind: "physdev",
          in: all.in,
          out: all.out,
          isIn: test(all.isIn),
          isOut: test(all.isOut),
          isBridged: test(all.isBridged),
        }),
  show: (match) =>
    compact({
      isIn: set(match.isIn),
      in: match.in,
      isOut: set(match.isOut),
      out: match.out,
      isBridged: set(match.isBridged),
    }),
});
