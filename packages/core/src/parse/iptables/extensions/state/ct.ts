import type { CtTarget } from "../../../../model/index.ts";
import { compact, given, option, shown, targetExtension } from "../../rule/extension.ts";
import { flag, listOf, parseUnsigned, single, U16, type Value, word } from "../../values/index.ts";

const CT_EVENTS = [
  "new",
  "related",
  "destroy",
  "reply",
  "assured",
  "protoinfo",
  "helper",
  "mark",
  "natseqinfo",
  "secmark",
];

const zone: Value<string> = single("a zone from 0 to 65535, or mark", (text) => {
  if (text === "mark") return text;
  const n = parseUnsigned(text, U16);
  return n === undefined ? undefined : String(n);
});

interface Options {
  notrack: true;
  helper: string;
  timeout: string;
  ctEvents: readonly string[];
  expEvents: readonly string[];
  zone: string;
  zoneOriginal: string;
  zoneReply: string;
}

export const CT = targetExtension<Options, CtTarget>({
  name: "CT",
  tables: ["raw"],
  fields: {
    notrack: option("--notrack", flag),
    helper: option("--helper", word("the name of a helper", 15)),
    timeout: option("--timeout", word("the name of a timeout policy", 31)),
    ctEvents: option("--ctevents", listOf(CT_EVENTS)),
    expEvents: option("--expevents", listOf(["new"])),
    zone: option("--zone", zone),
    zoneOriginal: option("--zone-orig", zone),
    zoneReply: option("--zone-reply", zone),
  },
  make: (all) => {
    if ([all.zone, all.zoneOriginal, all.zoneReply].filter((z) => z !== undefined).length > 1)
      return "only one of --zone, --zone-orig and --zone-reply is possible";
    return compact<CtTarget>({
      kind: "ct",
      notrack: all.notrack !== undefined,
      helper: all.helper?.value,
      zone: all.zone?.value,
      options: [
        ...(all.timeout ? ["--timeout", all.timeout.value] : []),
        ...(all.ctEvents ? ["--ctevents", all.ctEvents.value.join(",")] : []),
        ...(all.expEvents ? ["--expevents", all.expEvents.value.join(",")] : []),
        ...(all.zoneOriginal ? ["--zone-orig", all.zoneOriginal.value] : []),
        ...(all.zoneReply ? ["--zone-reply", all.zoneReply.value] : []),
      ],
    });
  },
  show: (target) =>
    compact({
      notrack: shown(target.notrack),
      helper: target.helper === undefined ? undefined : given(target.helper),
    }),
  rest: (target) => [...target.options, ...(target.zone === undefined ? [] : ["--zone", target.zone])],
});
