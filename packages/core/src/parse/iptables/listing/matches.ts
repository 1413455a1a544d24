import type { Translation } from "./tokens.ts";

/**
 * How each match looks in the last column of `iptables -L`, as words of a rule. A reader is asked when the next token
 * is its key (after an exclamation mark, if `negated`); false: it is none of mine after all.
 */
export type Rewrite = (t: Translation, negated: boolean) => boolean;

const ports =
  (name: string): Rewrite =>
  (t, negated) => {
    if (negated) return false;
    t.skip();
    t.write("-m", name);
    for (;;) {
      const text = t.textAt();
      const port = /^(spts?|dpts?):(.+)$/.exec(text);
      const flags = /^flags:(!?)([^/]+)\/(.+)$/.exec(text);
      const tcpOption = /^option=(!?\d+)$/.exec(text);
      if (port) {
        t.skip();
        t.option(port[1]!.startsWith("s") ? "--sport" : "--dport", port[2]!);
      } else if (flags && name === "tcp") {
        t.skip();
        if (flags[1] !== "") t.write("!");
        t.write("--tcp-flags", tcpFlags(flags[2]!), tcpFlags(flags[3]!));
      } else if (tcpOption && name === "tcp") {
        t.skip();
        t.option("--tcp-option", tcpOption[1]!);
      } else return true;
    }
  };

const FLAGS = ["FIN", "SYN", "RST", "PSH", "ACK", "URG"];
function tcpFlags(text: string): string {
  const bits = /^0x[0-9a-fA-F]{1,2}$/.test(text) ? Number.parseInt(text, 16) : undefined;
  if (bits === undefined) return text;
  return FLAGS.filter((_, i) => (bits & (1 << i)) !== 0).join(",") || "NONE";
}

/** `icmptype 8 code 0`, `icmp !type 8`, `icmp echo-request`. */
const icmp =
  (name: string, option: string): Rewrite =>
  (t, negated) => {
    if (negated) return false;
    const numeric = t.next().endsWith("type");
    t.write("-m", name);
    let inverted = false;
    if (!numeric) {
      const word = t.textAt();
      if (word !== "!type") {
        if (word === "" || t.peek()?.comment) return false;
        t.option(option, t.next());
        return true;
      }
      inverted = true;
      t.skip();
    }
    let type = t.next();
    if (t.textAt() === "code") {
      t.skip();
      type += `/${t.next()}`;
    } else if (t.textAt() === "codes") {
      t.skip();
      type += `/${t.next().replace("-", ":")}`;
    }
    t.option(option, type === "255" ? "any" : type, inverted);
    return true;
  };

/** `mark match ! 0x1/0x2`, also MARK. */
const marked =
  (name: string): Rewrite =>
  (t, negated) => {
    if (t.textAt(1) !== "match") return false;
    t.skip(2);
    t.write("-m", name);
    t.optionNext("--mark", negated);
    return true;
  };

/** A word and its value: `length 1:2`, `ctstate NEW`; further options of the same match may follow. */
const named =
  (name: string, options: Readonly<Record<string, string>>, flags: Readonly<Record<string, string>> = {}): Rewrite =>
  (t, negated) => {
    t.write("-m", name);
    let first = true;
    for (;;) {
      const bang =
        !first && t.textAt() === "!" && (Object.hasOwn(options, t.textAt(1)) || Object.hasOwn(flags, t.textAt(1)));
      const word = t.textAt(bang ? 1 : 0);
      if (Object.hasOwn(options, word)) {
        t.skip(bang ? 2 : 1);
        t.optionNext(options[word]!, bang || (first && negated));
      } else if (Object.hasOwn(flags, word)) {
        t.skip(bang ? 2 : 1);
        if (bang || (first && negated)) t.write("!");
        t.write(flags[word]!);
      } else return !first;
      first = false;
    }
  };

const conntrack = named("conntrack", {
  ctstate: "--ctstate",
  ctproto: "--ctproto",
  ctorigsrc: "--ctorigsrc",
  ctorigdst: "--ctorigdst",
  ctreplsrc: "--ctreplsrc",
  ctrepldst: "--ctrepldst",
  ctorigsrcport: "--ctorigsrcport",
  ctorigdstport: "--ctorigdstport",
  ctreplsrcport: "--ctreplsrcport",
  ctrepldstport: "--ctrepldstport",
  ctstatus: "--ctstatus",
  ctexpire: "--ctexpire",
  ctdir: "--ctdir",
});

const addrtype: Rewrite = (t, negated) => {
  if (negated || t.textAt(1) !== "match") return false;
  t.skip(2);
  t.write("-m", "addrtype");
  for (;;) {
    const word = t.textAt();
    if (word === "src-type" || word === "dst-type") {
      t.skip();
      t.optionNext(`--${word}`);
    } else if (word === "limit-in" || word === "limit-out") {
      t.skip();
      t.write(`--limit-iface-${word.slice(6)}`);
    } else return true;
  }
};

const matchSet: Rewrite = (t, negated) => {
  t.skip();
  t.write("-m", "set");
  if (negated) t.write("!");
  t.write("--match-set", t.next());
  t.write(t.next());
  for (;;) {
    const bang = t.textAt() === "!";
    const word = t.textAt(bang ? 1 : 0);
    if (word === "return-nomatch" || word === "update-counters" || word === "update-subcounters") {
      t.skip(bang ? 2 : 1);
      if (bang) t.write("!");
      t.write(`--${word}`);
    } else if (/^(?:packets|bytes)-(?:eq|lt|gt)$/.test(word)) {
      t.skip(bang ? 2 : 1);
      t.optionNext(`--${word}`, bang);
    } else return true;
  }
};

const statistic: Rewrite = (t, negated) => {
  if (negated || t.textAt(1) !== "mode") return false;
  t.skip(2);
  t.write("-m", "statistic", "--mode", t.next());
  for (;;) {
    const bang = t.textAt() === "!";
    const word = t.textAt(bang ? 1 : 0);
    if (word !== "probability" && word !== "every" && word !== "packet") return true;
    t.skip(bang ? 2 : 1);
    t.optionNext(`--${word}`, bang);
  }
};

/** `limit: avg 3/hour burst 5`; hashlimit's `limit: up to …` does not name its table and stays text. */
const limit: Rewrite = (t, negated) => {
  if (negated || t.textAt(1) !== "avg") return false;
  t.skip(2);
  t.write("-m", "limit", "--limit", t.next());
  if (t.textAt() === "burst") {
    t.skip();
    t.write("--limit-burst", t.next());
  }
  return true;
};

/** `#conn src/32 > 10` */
const connlimit: Rewrite = (t, negated) => {
  const group = /^(src|dst)\/(\d+)$/.exec(t.textAt(1));
  const operator = t.textAt(2);
  if (negated || group === null || (operator !== ">" && operator !== "<=")) return false;
  t.skip(4);
  const count = t.peek(-1)?.text ?? "";
  t.write("-m", "connlimit", operator === ">" ? "--connlimit-above" : "--connlimit-upto", count);
  t.write("--connlimit-mask", group[2]!, group[1] === "src" ? "--connlimit-saddr" : "--connlimit-daddr");
  return true;
};

const RECENT: ReadonlyMap<string, string> = new Map([
  ["SET", "--set"],
  ["CHECK", "--rcheck"],
  ["UPDATE", "--update"],
  ["REMOVE", "--remove"],
]);
const recent: Rewrite = (t, negated) => {
  const command = RECENT.get(t.textAt(1));
  if (command === undefined) return false;
  t.skip(2);
  t.write("-m", "recent");
  if (negated) t.write("!");
  t.write(command);
  for (;;) {
    const word = t.textAt();
    if (word === "seconds:" || word === "name:" || word === "mask:") {
      t.skip();
      t.write(`--${word.slice(0, -1)}`, t.next());
    } else if (word === "hit_count:") {
      t.skip();
      t.write("--hitcount", t.next());
    } else if (word === "side:") {
      t.skip();
      t.write(t.next() === "dest" ? "--rdest" : "--rsource");
    } else if (word === "reap" || word === "TTL-Match") {
      t.skip();
      t.write(word === "reap" ? "--reap" : "--rttl");
    } else return true;
  }
};

/** Options as in a rule: `PHYSDEV match --physdev-in eth0`, `socket --transparent`. */
const asTyped =
  (name: string, prefix: RegExp, lead: number): Rewrite =>
  (t, negated) => {
    if (negated || (lead === 2 && t.textAt(1) !== "match")) return false;
    t.skip(lead);
    t.write("-m", name);
    for (;;) {
      const bang = t.textAt() === "!";
      const word = t.textAt(bang ? 1 : 0);
      if (!prefix.test(word)) return true;
      t.skip(bang ? 2 : 1);
      if (bang) t.write("!");
      t.write(word);
      const value = t.textAt();
      if (/-(?:in|out)$/.test(word) && !/-is-/.test(word)) {
        t.skip();
        t.write(value);
      }
    }
  };

/** `owner socket exists owner UID match 7 ! owner GID match 5 incl. suppl. groups`: one match, told in pieces. */
const owner: Rewrite = (t, negated) => {
  let bang = negated;
  let read = false;
  for (;;) {
    const what = t.textAt(1);
    if (t.textAt() !== "owner") break;
    const exists = what === "socket" && t.textAt(2) === "exists";
    if (!exists && ((what !== "UID" && what !== "GID") || t.textAt(2) !== "match")) break;
    t.skip(3);
    if (!read) t.write("-m", "owner");
    read = true;
    if (!exists) t.optionNext(what === "UID" ? "--uid-owner" : "--gid-owner", bang);
    else t.write(...(bang ? ["!"] : []), "--socket-exists");
    bang = t.textAt() === "!" && t.textAt(1) === "owner";
    if (bang) t.skip();
  }
  if (read && t.textAt() === "incl." && t.textAt(1) === "suppl." && t.textAt(2) === "groups") {
    t.skip(3);
    t.write("--suppl-groups");
  }
  return read;
};

const iprange: Rewrite = (t, negated) => {
  if (negated || t.textAt(1) !== "IP" || t.textAt(2) !== "range") return false;
  t.write("-m", "iprange");
  for (;;) {
    const side = t.textAt();
    if ((side !== "source" && side !== "destination") || t.textAt(1) !== "IP" || t.textAt(2) !== "range") return true;
    t.skip(3);
    t.optionNext(side === "source" ? "--src-range" : "--dst-range");
  }
};

const OPERATORS: ReadonlyMap<string, string> = new Map([
  ["==", "eq"],
  ["!=", "ne"],
  ["<", "lt"],
  [">", "gt"],
]);

/** `TTL match TTL == 64` */
const hops =
  (name: "ttl" | "hl"): Rewrite =>
  (t, negated) => {
    const operator = OPERATORS.get(t.textAt(3));
    if (negated || t.textAt(1) !== "match" || operator === undefined) return false;
    t.skip(5);
    const value = t.peek(-1)?.text ?? "";
    t.write("-m", name);
    t.option(`--${name}-${operator === "ne" ? "eq" : operator}`, value, operator === "ne");
    return true;
  };

/** `WORD match VALUE` */
const matched =
  (name: string, option: string): Rewrite =>
  (t, negated) => {
    if (t.textAt(1) !== "match") return false;
    t.skip(2);
    t.write("-m", name);
    t.optionNext(option, negated);
    return true;
  };

/** `tos match0x10/0x3f`: the value is glued on. */
const tos: Rewrite = (t, negated) => {
  const glued = /^match(!?0x.+)$/.exec(t.textAt(1));
  if (glued === null || negated) return matched("tos", "--tos")(t, negated);
  t.skip(2);
  t.write("-m", "tos");
  t.option("--tos", glued[1]!);
  return true;
};

const pkttype: Rewrite = (t, negated) => {
  const operator = t.textAt(1);
  if (negated || (operator !== "=" && operator !== "!=")) return false;
  t.skip(3);
  t.write("-m", "pkttype");
  t.option("--pkt-type", t.peek(-1)?.text ?? "", operator === "!=");
  return true;
};

const mac: Rewrite = (t, negated) => {
  t.skip();
  t.write("-m", "mac");
  t.optionNext("--mac-source", negated);
  return true;
};

const POLICY_ELEMENT = new Set(["reqid", "spi", "proto", "mode", "tunnel-src", "tunnel-dst"]);
/** `policy match dir in pol ipsec strict [0] reqid 1 … [1] reqid 2` */
const policy: Rewrite = (t, negated) => {
  if (negated || t.textAt(1) !== "match" || t.textAt(2) !== "dir" || t.textAt(4) !== "pol") return false;
  t.skip(6);
  const direction = t.peek(-3)?.text ?? "";
  t.write("-m", "policy", "--dir", direction, "--pol", t.peek(-1)?.text ?? "");
  for (;;) {
    const bang = t.textAt() === "!";
    const word = t.textAt(bang ? 1 : 0);
    const element = /^\[(\d)\]$/.exec(word);
    if (word === "strict") t.write(`--${t.next()}`);
    else if (element !== null) {
      t.skip();
      if (element[1] !== "0") t.write("--next");
    } else if (POLICY_ELEMENT.has(word)) {
      t.skip(bang ? 2 : 1);
      t.optionNext(`--${word}`, bang);
    } else return true;
  }
};

/** `ah spi:0`, `esp spis:0:3`, `ipcomp spi:!18` */
const spi =
  (name: string, option: string): Rewrite =>
  (t, negated) => {
    if (negated) return false;
    t.skip();
    t.write("-m", name);
    const value = /^spis?:(.+)$/.exec(t.textAt());
    if (value !== null) {
      t.skip();
      t.option(option, value[1]!);
    }
    return true;
  };

const RPFILTER = new Set(["loose", "validmark", "accept-local", "invert"]);
const rpfilter: Rewrite = (t, negated) => {
  if (negated) return false;
  t.skip();
  t.write("-m", "rpfilter");
  while (RPFILTER.has(t.textAt())) t.write(`--${t.next()}`);
  return true;
};

const multiport: Rewrite = (t, negated) => {
  const which = t.textAt(1);
  if (negated || (which !== "sports" && which !== "dports" && which !== "ports")) return false;
  t.skip(2);
  t.write("-m", "multiport");
  t.optionNext(`--${which}`);
  return true;
};

/** `connbytes 0:1000 connbytes mode packets connbytes direction original` */
const connbytes: Rewrite = (t, negated) => {
  if (t.textAt(1) === "mode" || t.textAt(1) === "direction") return false;
  t.skip();
  t.write("-m", "connbytes");
  t.optionNext("--connbytes", negated);
  while (t.textAt() === "connbytes" && (t.textAt(1) === "mode" || t.textAt(1) === "direction")) {
    t.skip();
    t.write(t.next() === "mode" ? "--connbytes-mode" : "--connbytes-dir");
    t.write(t.next());
  }
  return true;
};

export const MATCHES: ReadonlyMap<string, Rewrite> = new Map<string, Rewrite>([
  ["tcp", ports("tcp")],
  ["udp", ports("udp")],
  ["sctp", ports("sctp")],
  ["dccp", ports("dccp")],
  ["icmptype", icmp("icmp", "--icmp-type")],
  ["icmp", icmp("icmp", "--icmp-type")],
  ["ipv6-icmptype", icmp("icmp6", "--icmpv6-type")],
  ["ipv6-icmp", icmp("icmp6", "--icmpv6-type")],
  ["multiport", multiport],
  ["mark", marked("mark")],
  ["MARK", marked("mark")],
  ["connmark", marked("connmark")],
  ["CONNMARK", marked("connmark")],
  ["state", named("state", { state: "--state" })],
  ["nfacct-name", named("nfacct", { "nfacct-name": "--nfacct-name" })],
  ...["ctstate", "ctproto", "ctorigsrc", "ctorigdst", "ctreplsrc", "ctrepldst", "ctorigsrcport", "ctorigdstport"].map(
    (word) => [word, conntrack] as const,
  ),
  ...["ctreplsrcport", "ctrepldstport", "ctstatus", "ctexpire", "ctdir"].map((word) => [word, conntrack] as const),
  ["ADDRTYPE", addrtype],
  ["match-set", matchSet],
  ["statistic", statistic],
  ["limit:", limit],
  ["#conn", connlimit],
  ["recent:", recent],
  ["PHYSDEV", asTyped("physdev", /^--physdev-/, 2)],
  ["socket", asTyped("socket", /^--(?:transparent|nowildcard|restore-skmark)$/, 1)],
  ["owner", owner],
  ["source", iprange],
  ["destination", iprange],
  ["MAC", mac],
  ["length", named("length", { length: "--length" })],
  ["PKTTYPE", pkttype],
  ["TTL", hops("ttl")],
  ["HL", hops("hl")],
  ["tos", tos],
  ["DSCP", matched("dscp", "--dscp")],
  ["tcpmss", matched("tcpmss", "--mss")],
  ["helper", matched("helper", "--helper")],
  ["realm", named("realm", { realm: "--realm" })],
  ["rpfilter", rpfilter],
  ["cgroup", named("cgroup", { cgroup: "--cgroup" })],
  ["policy", policy],
  ["connbytes", connbytes],
  ["cpu", named("cpu", { cpu: "--cpu" })],
  ["connlabel", named("connlabel", { connlabel: "--label" }, { set: "--set" })],
  ["ah", spi("ah", "--ahspi")],
  ["esp", spi("esp", "--espspi")],
  ["comp", spi("ipcomp", "--ipcompspi")],
  ["u32", named("u32", { u32: "--u32" })],
]);
