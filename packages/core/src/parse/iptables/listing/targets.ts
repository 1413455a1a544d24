import type { Translation } from "./tokens.ts";

/** The options of a target in the last column, as words of a rule; false: the next token is not the target's. */
export type TargetRewrite = (t: Translation) => boolean;

const flagsOnly =
  (...flags: readonly string[]): TargetRewrite =>
  (t) => {
    if (!flags.includes(t.textAt())) return false;
    t.write(`--${t.next()}`);
    return true;
  };

const either =
  (...all: readonly TargetRewrite[]): TargetRewrite =>
  (t) =>
    all.some((rewrite) => rewrite(t));

/** `to:1.2.3.4:80` */
const to =
  (option: string): TargetRewrite =>
  (t) => {
    const text = t.textAt();
    if (!text.startsWith("to:") || text.length === 3) return false;
    t.skip();
    t.write(option, text.slice(3));
    return true;
  };

/** Some words, then a value. */
const after =
  (words: readonly string[], option: string): TargetRewrite =>
  (t) => {
    if (!words.every((word, i) => t.textAt(i) === word)) return false;
    t.skip(words.length);
    t.write(option, t.next());
    return true;
  };

const only =
  (words: readonly string[], ...written: readonly string[]): TargetRewrite =>
  (t) => {
    if (!words.every((word, i) => t.textAt(i) === word)) return false;
    t.skip(words.length);
    t.write(...written);
    return true;
  };

const changes = (name: string): readonly TargetRewrite[] => [
  after([name, "set"], "--set-mark"),
  after([name, "and"], "--and-mark"),
  after([name, "or"], "--or-mark"),
  after([name, "xor"], "--xor-mark"),
  after([name, "xset"], "--set-xmark"),
];

/** `CONNMARK save`, `CONNMARK restore mask 0xff`, `CONNMARK save nfmask 0xff ctmask ~0xff` */
const connmarkCopy: TargetRewrite = (t) => {
  const action = t.textAt(1);
  if (t.textAt() !== "CONNMARK" || (action !== "save" && action !== "restore")) return false;
  t.skip(2);
  t.write(`--${action}-mark`);
  for (;;) {
    const word = t.textAt();
    if (word !== "mask" && word !== "nfmask" && word !== "ctmask") return true;
    t.skip();
    t.write(`--${word}`, t.next().replace(/^~/, ""));
  }
};

/** `LOG flags 4 level 4 prefix "x"`; the bits of the flags are those of the kernel. */
const log: TargetRewrite = (t) => {
  if (t.textAt() !== "LOG") return false;
  t.skip();
  for (;;) {
    const word = t.textAt();
    if (word === "flags") {
      t.skip();
      const bits = Number(t.next());
      const names = ["--log-tcp-sequence", "--log-tcp-options", "--log-ip-options", "--log-uid", "", "--log-macdecode"];
      for (const [i, name] of names.entries()) if (name !== "" && (bits & (1 << i)) !== 0) t.write(name);
    } else if (word === "level") {
      t.skip();
      t.write("--log-level", t.next());
    } else if (word === "prefix") {
      t.skip();
      t.write("--log-prefix", t.next().replace(/^[`"]|["']$/g, ""));
    } else if (/^(?:tcp-sequence|tcp-options|ip-options|uid|macdecode)$/.test(word)) {
      t.skip();
      t.write(`--log-${word}`);
    } else return true;
  }
};

const nflog: TargetRewrite = (t) => {
  const word = t.textAt();
  if (!/^nflog-(?:prefix|group|range|size|threshold)$/.test(word)) return false;
  t.skip();
  t.write(`--${word}`, t.next());
  return true;
};

const ct: TargetRewrite = (t) => {
  if (t.textAt() !== "CT") return false;
  t.skip();
  for (;;) {
    const word = t.textAt();
    if (word === "notrack") {
      t.skip();
      t.write("--notrack");
    } else if (/^(?:helper|timeout|ctevents|expevents|zone|zone-orig|zone-reply)$/.test(word)) {
      t.skip();
      t.write(`--${word}`, t.next());
    } else return true;
  }
};

const set: TargetRewrite = (t) => {
  const word = t.textAt();
  if (!/^(?:add|del|map)-set$/.test(word)) return false;
  t.skip();
  t.write(`--${word}`, t.next());
  t.write(t.next());
  for (;;) {
    const more = t.textAt();
    if (/^(?:exist|map-mark|map-prio|map-queue)$/.test(more)) t.write(`--${t.next()}`);
    else if (more === "timeout") {
      t.skip();
      t.write("--timeout", t.next());
    } else return true;
  }
};

/** `TPROXY redirect 127.0.0.1:1234 mark 0x1/0x1` */
const tproxy: TargetRewrite = (t) => {
  const place = /^(.*):(\d+)$/.exec(t.textAt(2));
  if (t.textAt() !== "TPROXY" || t.textAt(1) !== "redirect" || place === null) return false;
  t.skip(3);
  t.write("--on-port", place[2]!, "--on-ip", place[1]!.replace(/^\[|\]$/g, ""));
  if (t.textAt() === "mark") {
    t.skip();
    t.write("--tproxy-mark", t.next());
  }
  return true;
};

/** A word, then options written without their dashes and prefix: `NFQUEUE num 10 bypass`. */
const worded =
  (lead: string, values: Readonly<Record<string, string>>, flags: Readonly<Record<string, string>>): TargetRewrite =>
  (t) => {
    if (t.textAt() !== lead) return false;
    t.skip();
    for (;;) {
      const word = t.textAt();
      if (Object.hasOwn(values, word)) {
        t.skip();
        t.write(values[word]!, t.next());
      } else if (Object.hasOwn(flags, word)) {
        t.skip();
        t.write(flags[word]!);
      } else return true;
    }
  };

/** `gw:1.2.3.4`, `oif=eth1`, `timeout:42` */
const colons =
  (options: Readonly<Record<string, string>>): TargetRewrite =>
  (t) => {
    const colon = t.textAt().search(/[:=]/);
    const key = t.textAt().slice(0, Math.max(0, colon));
    if (!Object.hasOwn(options, key)) return false;
    t.write(options[key]!, t.next().slice(colon + 1));
    return true;
  };

const hops = (name: "TTL" | "HL"): TargetRewrite => {
  const option = name.toLowerCase();
  return either(
    after([name, "set", "to"], `--${option}-set`),
    after([name, "decrement", "by"], `--${option}-dec`),
    after([name, "increment", "by"], `--${option}-inc`),
  );
};

export const TARGETS: ReadonlyMap<string, TargetRewrite> = new Map<string, TargetRewrite>([
  ["DNAT", either(to("--to-destination"), flagsOnly("random", "random-fully", "persistent"))],
  ["SNAT", either(to("--to-source"), flagsOnly("random", "random-fully", "persistent"))],
  ["NETMAP", to("--to")],
  ["MASQUERADE", either(after(["masq", "ports:"], "--to-ports"), flagsOnly("random", "random-fully"))],
  ["REDIRECT", either(after(["redir", "ports"], "--to-ports"), flagsOnly("random"))],
  ["MARK", either(...changes("MARK"))],
  ["CONNMARK", either(...changes("CONNMARK"), connmarkCopy)],
  ["REJECT", after(["reject-with"], "--reject-with")],
  ["LOG", log],
  ["NFLOG", nflog],
  ["CT", ct],
  ["NOTRACK", ct],
  ["SET", set],
  [
    "TCPMSS",
    either(only(["TCPMSS", "clamp", "to", "PMTU"], "--clamp-mss-to-pmtu"), after(["TCPMSS", "set"], "--set-mss")),
  ],
  [
    "TOS",
    either(
      after(["TOS", "set"], "--set-tos"),
      after(["TOS", "and"], "--and-tos"),
      after(["TOS", "or"], "--or-tos"),
      after(["TOS", "xor"], "--xor-tos"),
    ),
  ],
  ["DSCP", after(["DSCP", "set"], "--set-dscp")],
  ["TTL", hops("TTL")],
  ["HL", hops("HL")],
  ["TPROXY", tproxy],
  ["CHECKSUM", only(["CHECKSUM", "fill"], "--checksum-fill")],
  [
    "NFQUEUE",
    worded(
      "NFQUEUE",
      { num: "--queue-num", balance: "--queue-balance" },
      { bypass: "--queue-bypass", "cpu-fanout": "--queue-cpu-fanout" },
    ),
  ],
  ["TEE", either(only(["TEE"]), colons({ gw: "--gateway", oif: "--oif" }))],
  ["AUDIT", after(["AUDIT"], "--type")],
  ["IDLETIMER", either(colons({ timeout: "--timeout", label: "--label" }), flagsOnly("alarm"))],
  [
    "SYNPROXY",
    worded(
      "SYNPROXY",
      { wscale: "--wscale", mss: "--mss" },
      { "sack-perm": "--sack-perm", timestamp: "--timestamp", ecn: "--ecn" },
    ),
  ],
  ["CLASSIFY", after(["CLASSIFY", "set"], "--set-class")],
]);
