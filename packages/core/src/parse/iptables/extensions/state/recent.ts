import type { RecentMatch } from "../../../../model/index.ts";
import { type Address, maskFor, unspecified } from "../../../../net/index.ts";
import { compact, given, matchExtension, option, shown } from "../../rule/extension.ts";
import { address, flag, U16, U32, unsigned, word } from "../../values/index.ts";

const COMMANDS = ["set", "rcheck", "update", "remove"] as const;

interface Options {
  set: true;
  rcheck: true;
  update: true;
  remove: true;
  seconds: number;
  reap: true;
  hitcount: number;
  rttl: true;
  name: string;
  mask: Address;
  rsource: true;
  rdest: true;
}

export const recent = matchExtension<Options, RecentMatch>({
  name: "recent",
  fields: {
    set: option("--set", flag, { negatable: true }),
    rcheck: option("--rcheck", flag, { negatable: true }),
    update: option("--update", flag, { negatable: true }),
    remove: option("--remove", flag, { negatable: true }),
    seconds: option("--seconds", unsigned(U32, 1)),
    reap: option("--reap", flag),
    hitcount: option("--hitcount", unsigned(U16, 1)),
    rttl: option("--rttl", flag),
    name: option("--name", word("a name of at most 199 letters", 199)),
    mask: option("--mask", address),
    rsource: option("--rsource", flag),
    rdest: option("--rdest", flag),
  },
  make: (all, { family }) => {
    const commands = COMMANDS.filter((c) => all[c] !== undefined);
    const command = commands[0];
    if (command === undefined) return "one of --set, --rcheck, --update and --remove is needed";
    if (commands.length > 1) return "only one of --set, --rcheck, --update and --remove is possible";
    const checks = command === "rcheck" || command === "update";
    if (!checks && (all.seconds || all.hitcount || all.rttl || all.reap))
      return "--seconds, --hitcount, --rttl and --reap go with --rcheck and --update";
    if (all.reap && !all.seconds) return "--reap goes with --seconds";
    if (all.rsource && all.rdest) return "--rsource and --rdest together";
    return compact<RecentMatch>({
      kind: "recent",
      command,
      negated: all[command]!.negated,
      seconds: all.seconds?.value,
      reap: all.reap !== undefined,
      hitcount: all.hitcount?.value,
      rttl: all.rttl !== undefined,
      name: all.name?.value ?? "DEFAULT",
      mask: all.mask?.value ?? maskFor(unspecified(family), family === 4 ? 32 : 128),
      side: all.rdest ? "dest" : "source",
    });
  },
  show: (match) => ({
    [match.command]: given(true, match.negated),
    ...(match.seconds !== undefined && { seconds: given(match.seconds) }),
    ...(match.reap && { reap: shown(true)! }),
    ...(match.hitcount !== undefined && { hitcount: given(match.hitcount) }),
    ...(match.rttl && { rttl: shown(true)! }),
    name: given(match.name),
    mask: given(match.mask),
    ...(match.side === "source" ? { rsource: shown(true)! } : { rdest: shown(true)! }),
  }),
});
