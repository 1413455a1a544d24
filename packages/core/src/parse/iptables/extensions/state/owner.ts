import type { OwnerMatch } from "../../../../model/index.ts";
import type { PortRange } from "../../../../net/index.ts";
import { compact, matchExtension, option, shown } from "../../rule/extension.ts";
import { flag, parseUnsigned, single, U32, type Value } from "../../values/index.ts";

/** Only root has the same number on every machine. */
const idRange: Value<PortRange> = single(
  "a numeric id or a range FROM-TO (names are known to the machine only)",
  (word) => {
    if (word === "root") return { from: 0, to: 0 };
    const dash = word.indexOf("-");
    const from = parseUnsigned(dash < 0 ? word : word.slice(0, dash), U32 - 1);
    const to = dash < 0 ? from : parseUnsigned(word.slice(dash + 1), U32 - 1);
    return from === undefined || to === undefined || from > to ? undefined : { from, to };
  },
  (range) => (range.from === range.to ? String(range.from) : `${range.from}-${range.to}`),
);

interface Options {
  socketExists: true;
  uid: PortRange;
  gid: PortRange;
  supplementaryGroups: true;
}

export const owner = matchExtension<Options, OwnerMatch>({
  name: "owner",
  hooks: ["OUTPUT", "POSTROUTING"],
  fields: {
    socketExists: option("--socket-exists", flag, { negatable: true }),
    uid: option("--uid-owner", idRange, { negatable: true }),
    gid: option("--gid-owner", idRange, { negatable: true }),
    supplementaryGroups: option("--suppl-groups", flag),
  },
  make: (all, { occurrences }) => {
    if (!all.uid && !all.gid && !all.socketExists)
      return "one of --uid-owner, --gid-owner and --socket-exists is needed";
    const position = (key: keyof Options) => occurrences.findIndex((o) => o.key === key);
    if (all.supplementaryGroups && (!all.gid || position("gid") > position("supplementaryGroups")))
      return "--suppl-groups goes after --gid-owner";
    return compact<OwnerMatch>({
      kind: "owner",
      uid: all.uid,
      gid: all.gid,
      supplementaryGroups: all.supplementaryGroups !== undefined,
      socketExists: all.socketExists && { negated: all.socketExists.negated },
    });
  },
  show: (match) =>
    compact({
      socketExists: match.socketExists && { value: true as const, negated: match.socketExists.negated },
      uid: match.uid,
      gid: match.gid,
      supplementaryGroups: shown(match.supplementaryGroups),
    }),
});
