import type { LogTarget, NflogTarget } from "../../../model/index.ts";
import { compact, given, option, shown, targetExtension } from "../rule/extension.ts";
import { flag, parseUnsigned, single, text, U16, U32, unsigned, type Value } from "../values/index.ts";
import { otherTarget } from "./other.ts";

const LEVELS: ReadonlyMap<string, number> = new Map([
  ["emerg", 0],
  ["panic", 0],
  ["alert", 1],
  ["crit", 2],
  ["err", 3],
  ["error", 3],
  ["warn", 4],
  ["warning", 4],
  ["notice", 5],
  ["info", 6],
  ["debug", 7],
]);
const DEFAULT_LEVEL = 4;

const level: Value<number> = single(
  "a syslog level, by name or 0 to 7",
  (word) => LEVELS.get(word) ?? parseUnsigned(word, 7),
);

interface LogOptions {
  prefix: string;
  level: number;
  tcpSequence: true;
  tcpOptions: true;
  ipOptions: true;
  uid: true;
  macDecode: true;
}

export const LOG = targetExtension<LogOptions, LogTarget>({
  name: "LOG",
  fields: {
    // The kernel's structure has 30 bytes for it, one of them the closing zero.
    prefix: option("--log-prefix", text(29), { quoting: "needed" }),
    level: option("--log-level", level),
    tcpSequence: option("--log-tcp-sequence", flag),
    tcpOptions: option("--log-tcp-options", flag),
    ipOptions: option("--log-ip-options", flag),
    uid: option("--log-uid", flag),
    macDecode: option("--log-macdecode", flag),
  },
  make: (all) =>
    compact<LogTarget>({
      kind: "log",
      prefix: all.prefix?.value,
      level: all.level?.value === DEFAULT_LEVEL ? undefined : all.level?.value,
      tcpSequence: all.tcpSequence !== undefined,
      tcpOptions: all.tcpOptions !== undefined,
      ipOptions: all.ipOptions !== undefined,
      uid: all.uid !== undefined,
      macDecode: all.macDecode !== undefined,
    }),
  show: (target) =>
    compact({
      prefix: target.prefix === undefined ? undefined : given(target.prefix),
      level: target.level === undefined ? undefined : given(target.level),
      tcpSequence: shown(target.tcpSequence),
      tcpOptions: shown(target.tcpOptions),
      ipOptions: shown(target.ipOptions),
      uid: shown(target.uid),
      macDecode: shown(target.macDecode),
    }),
});

interface NflogOptions {
  prefix: string;
  group: number;
  range: number;
  size: number;
  threshold: number;
}

/** xt_NFLOG holds 63 letters, nft's own log expression 127. */
const nflogPrefix: Value<string> = single("a text", (word, { backend }) => word.slice(0, backend === "nft" ? 127 : 63));

export const NFLOG = targetExtension<NflogOptions, NflogTarget>({
  name: "NFLOG",
  fields: {
    prefix: option("--nflog-prefix", nflogPrefix, { quoting: "needed" }),
    group: option("--nflog-group", unsigned(U16)),
    range: option("--nflog-range", unsigned(U32)),
    size: option("--nflog-size", unsigned(U32)),
    threshold: option("--nflog-threshold", unsigned(U16)),
  },
  make: (all) => {
    if (all.range && all.size) return "--nflog-range and --nflog-size together";
    return compact<NflogTarget>({
      kind: "nflog",
      group: all.group?.value === 0 ? undefined : all.group?.value,
      prefix: all.prefix?.value,
      options: [
        ...(all.range?.value ? ["--nflog-range", String(all.range.value)] : []),
        ...(all.size ? ["--nflog-size", String(all.size.value)] : []),
        ...(all.threshold?.value ? ["--nflog-threshold", String(all.threshold.value)] : []),
      ],
    });
  },
  show: (target) =>
    compact({
      prefix: target.prefix === undefined ? undefined : given(target.prefix),
      group: target.group === undefined ? undefined : given(target.group),
    }),
  rest: (target) => target.options,
});

export const ULOG = otherTarget({
  name: "ULOG",
  family: 4,
  fields: {
    prefix: option("--ulog-prefix", text(31), { quoting: "needed" }),
    group: option("--ulog-nlgroup", unsigned(32, 1), { everything: (n) => n === 1 }),
    range: option("--ulog-cprange", unsigned(U32), { everything: (n) => n === 0 }),
    threshold: option("--ulog-qthreshold", unsigned(50, 1), { everything: (n) => n === 1 }),
  },
});
