import type { MaskedAddress, PolicyMatch } from "../../../../model/index.ts";
import { append } from "../../../../net/append.ts";
import { given, matchExtension, type Occurrence, option } from "../../rule/extension.ts";
import {
  flag,
  formatNetwork,
  hostOrNetwork,
  oneOf,
  U32,
  unsigned,
  unsignedHex,
  type Value,
} from "../../values/index.ts";

const tunnel: Value<MaskedAddress> = { ...hostOrNetwork, print: (m) => [formatNetwork(m)] };
const element = { negatable: true, many: true };

interface Options {
  direction: "in" | "out";
  policy: "none" | "ipsec";
  strict: true;
  reqid: number;
  spi: number;
  proto: string;
  mode: "transport" | "tunnel";
  tunnelDestination: MaskedAddress;
  tunnelSource: MaskedAddress;
  next: true;
}

const fields = {
  direction: option("--dir", oneOf<"in" | "out">(["in", "out"]), { required: true }),
  policy: option("--pol", oneOf<"none" | "ipsec">(["none", "ipsec"]), { required: true }),
  strict: option("--strict", flag),
  reqid: option("--reqid", unsigned(U32), element),
  spi: option("--spi", unsignedHex(U32), element),
  proto: option("--proto", oneOf(["ah", "esp", "ipcomp"], { "51": "ah", "50": "esp", "108": "ipcomp" }), element),
  mode: option("--mode", oneOf<"transport" | "tunnel">(["transport", "tunnel"]), element),
  tunnelDestination: option("--tunnel-dst", tunnel, element),
  tunnelSource: option("--tunnel-src", tunnel, element),
  next: option("--next", flag, { many: true }),
};
const ELEMENT = ["reqid", "spi", "proto", "mode", "tunnelDestination", "tunnelSource"] as const;
/** XT_POLICY_MAX_ELEM */
const MAX_ELEMENTS = 4;

/** Elements between `--next`, each in the order in which it prints. */
function elements(occurrences: readonly Occurrence[]): readonly (readonly Occurrence[])[] {
  const all: Occurrence[][] = [[]];
  for (const one of occurrences) {
    if (one.key === "next") all.push([]);
    else if ((ELEMENT as readonly string[]).includes(one.key)) all[all.length - 1]!.push(one);
  }
  return all;
}

export const policy = matchExtension<Options, PolicyMatch>({
  name: "policy",
  fields,
  make: (all, { occurrences }) => {
    const strict = all.strict !== undefined;
    const parts = elements(occurrences);
    const kind = all.policy!.value;
    if (kind === "none" && (strict || parts.some((p) => p.length > 0))) return "--pol none takes no policy element";
    if (all.next && !strict) return "--next goes with --strict";
    if (strict && parts.some((p) => p.length === 0)) return "--strict needs a policy element, and each --next another";
    if (parts.length > MAX_ELEMENTS) return `at most ${MAX_ELEMENTS} policy elements are possible`;
    const options: string[] = [];
    for (const [i, part] of parts.entries()) {
      if (i > 0) options.push("--next");
      for (const key of ELEMENT) {
        const values = part.filter((o) => o.key === key);
        if (values.length > 1) return `${fields[key].option} twice in one policy element`;
        const one = values[0];
        if (one === undefined) continue;
        options.push(...(one.negated ? ["!"] : []), fields[key].option);
        append(options, (fields[key].value as Value<unknown>).print(one.value));
      }
      const has = (key: string) => part.find((o) => o.key === key);
      if ((has("tunnelSource") || has("tunnelDestination")) && has("mode")?.value !== "tunnel")
        return "--tunnel-src and --tunnel-dst go with --mode tunnel";
    }
    return { kind: "policy", direction: all.direction!.value, policy: kind, strict, options };
  },
  show: (match) => ({
    direction: given(match.direction),
    policy: given(match.policy),
    ...(match.strict && { strict: given(true as const) }),
  }),
  rest: (match) => match.options,
});
