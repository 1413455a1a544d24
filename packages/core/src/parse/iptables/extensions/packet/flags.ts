import type { RealmMatch, RpfilterMatch, SocketMatch } from "../../../../model/index.ts";
import { compact, given, matchExtension, option, shown } from "../../rule/extension.ts";
import { flag, type Masked, masked } from "../../values/index.ts";

export const rpfilter = matchExtension<
  { loose: true; validMark: true; acceptLocal: true; invert: true },
  RpfilterMatch
>({
  name: "rpfilter",
  tables: ["raw", "mangle"],
  hooks: ["PREROUTING"],
  fields: {
    loose: option("--loose", flag),
    validMark: option("--validmark", flag),
    acceptLocal: option("--accept-local", flag),
    invert: option("--invert", flag),
  },
  make: (all) => ({
    kind: "rpfilter",
    loose: all.loose !== undefined,
    validMark: all.validMark !== undefined,
    acceptLocal: all.acceptLocal !== undefined,
    invert: all.invert !== undefined,
  }),
  show: (match) =>
    compact({
      loose: shown(match.loose),
      validMark: shown(match.validMark),
      acceptLocal: shown(match.acceptLocal),
      invert: shown(match.invert),
    }),
});

export const socket = matchExtension<{ transparent: true; noWildcard: true; restoreSkmark: true }, SocketMatch>({
  name: "socket",
  hooks: ["PREROUTING", "INPUT"],
  fields: {
    transparent: option("--transparent", flag),
    noWildcard: option("--nowildcard", flag),
    restoreSkmark: option("--restore-skmark", flag),
  },
  make: (all) => ({
    kind: "socket",
    transparent: all.transparent !== undefined,
    noWildcard: all.noWildcard !== undefined,
    restoreSkmark: all.restoreSkmark !== undefined,
  }),
  show: (match) =>
    compact({
      transparent: shown(match.transparent),
      noWildcard: shown(match.noWildcard),
      restoreSkmark: shown(match.restoreSkmark),
    }),
});

export const realm = matchExtension<{ realm: Masked }, RealmMatch>({
  name: "realm",
  family: 4,
  hooks: ["INPUT", "FORWARD", "OUTPUT", "POSTROUTING"],
  fields: { realm: option("--realm", masked, { negatable: true, required: true }) },
  make: ({ realm: r }) => ({ kind: "realm", ...r!.value, negated: r!.negated }),
  show: (match) => ({ realm: given({ value: match.value, mask: match.mask }, match.negated) }),
});
