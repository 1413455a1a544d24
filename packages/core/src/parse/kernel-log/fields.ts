import { type ObservedIcmp, type ObservedIp, type ObservedLogLine, TCP } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { type Mac, PROTO, parseAddress, parseMac, protocolNumber } from "../../net/index.ts";

type Fields = Pick<
  ObservedLogLine,
  "in" | "out" | "physIn" | "physOut" | "srcMac" | "dstMac" | "ip" | "mark" | "uid" | "gid"
>;

const FLAG_WORDS: Readonly<Record<string, number>> = lookup(TCP);

const MAX_WORDS = 120;

/** One packet's worth of `KEY=VALUE` words, in the order nf_log_syslog.c writes them. */
interface Words {
  readonly header: Map<string, string>;
  /** After PROTO=: UDP's LEN and ICMP's ID have the names of the IP header's. */
  readonly transport: Map<string, string>;
  flags: number | undefined;
  df: boolean;
  fragment?: number;
  inner?: Words;
}

const withFlag = (flags: number | undefined, bit: number | undefined): number | undefined =>
  bit === undefined ? flags : (flags ?? 0) | bit;

const empty = (): Words => ({ header: new Map(), transport: new Map(), flags: undefined, df: false });

function wordsOf(
  words: readonly string[],
  from: number,
  closing: boolean,
): { readonly found: Words; readonly next: number } {
  const found = empty();
  let transport = false;
  let i = from;
  for (; i < words.length && i < from + MAX_WORDS; i++) {
    let word = words[i]!;
    if (word.startsWith("[SRC=")) {
      const nested = wordsOf([word.slice(1), ...words.slice(i + 1)], 0, true);
      found.inner = nested.found;
      i += nested.next - 1;
      continue;
    }
    const last = closing && word.endsWith("]");
    if (last) word = word.slice(0, -1);
    const eq = word.indexOf("=");
    if (eq > 0) {
      const key = word.slice(0, eq);
      const target = transport && key !== "MARK" && key !== "UID" && key !== "GID" ? found.transport : found.header;
      if (!target.has(key)) target.set(key, word.slice(eq + 1));
      if (key === "PROTO" || key === "SPORT") transport = true;
      if (key === "SPORT") found.transport.set(key, word.slice(eq + 1));
    } else if (word === "DF") found.df = true;
    else if (word.startsWith("FRAG:")) found.fragment = Number(word.slice(5)) || 0;
    else if (transport) found.flags = withFlag(found.flags, FLAG_WORDS[word]);
    if (last) {
      i++;
      break;
    }
  }
  return { found, next: i };
}

const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^(?:0x[0-9a-fA-F]{1,8}|\d{1,10})$/.test(text) ? Number(text) : undefined;

const put = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };

function ipOf(words: Words, depth: number): ObservedIp | undefined {
  const { header, transport } = words;
  const src = parseAddress(header.get("SRC") ?? "");
  const dst = parseAddress(header.get("DST") ?? "");
  if (src === undefined || dst === undefined) return undefined;
  const sport = numberOf(transport.get("SPT") ?? transport.get("SPORT"));
  const dport = numberOf(transport.get("DPT") ?? transport.get("DPORT"));
  const named = header.get("PROTO");
  const protocol =
    named !== undefined
      ? protocolNumber(named.toLowerCase())
      : sport === undefined
        ? undefined
        : words.flags === undefined
          ? PROTO.udp
          : PROTO.tcp;
  const type = numberOf(transport.get("TYPE"));
  const length = numberOf(header.get("LEN"));
  const udp = protocol === PROTO.udp ? numberOf(transport.get("LEN")) : undefined;
  const tos = numberOf(header.get("TOS"));
  const precedence = numberOf(header.get("PREC"));
  const inner = words.inner === undefined || depth > 2 ? undefined : ipOf(words.inner, depth + 1);
  const icmp: ObservedIcmp | undefined =
    type === undefined
      ? undefined
      : {
          type,
          ...put("code", numberOf(transport.get("CODE"))),
          ...put("id", numberOf(transport.get("ID"))),
          ...put("seq", numberOf(transport.get("SEQ"))),
          ...put("mtu", numberOf(transport.get("MTU"))),
          ...put("inner", inner),
        };
  return {
    src,
    dst,
    ...put("protocol", protocol),
    ...put("sport", sport),
    ...put("dport", dport),
    ...put("ttl", numberOf(header.get("TTL") ?? header.get("HOPLIMIT"))),
    ...put("tos", tos === undefined ? undefined : tos | (precedence ?? 0)),
    ...put("id", numberOf(header.get("ID"))),
    df: words.df,
    ...put("fragmentOffset", words.fragment === 0 ? undefined : words.fragment),
    ...put("length", length),
    ...put("payload", udp === undefined ? undefined : udp - 8),
    ...(protocol === PROTO.tcp
      ? {
          tcp: {
            ...put("flags", words.flags),
            ...put("seq", numberOf(transport.get("SEQ"))),
            ...put("ack", numberOf(transport.get("ACK"))),
            ...put("window", numberOf(transport.get("WINDOW"))),
          },
        }
      : {}),
    ...put("icmp", icmp),
  };
}

/** `MAC=` is the Ethernet header as it stood: destination, source, type. */
function macsOf(header: ReadonlyMap<string, string>): { readonly srcMac?: Mac; readonly dstMac?: Mac } {
  const mac = header.get("MAC") ?? "";
  const [dst, src] =
    mac.length >= 35 ? [mac.slice(0, 17), mac.slice(18, 35)] : [header.get("MACDST") ?? "", header.get("MACSRC") ?? ""];
  return { ...put("srcMac", parseMac(src)), ...put("dstMac", parseMac(dst)) };
}

/** The fields of a LOG line from `IN=` on. */
export function logFields(text: string): Fields {
  const { found } = wordsOf(text.slice(0, 4000).split(/\s+/), 0, false);
  const { header } = found;
  const named = (key: string): string | undefined => {
    const value = header.get(key);
    return value === "" ? undefined : value;
  };
  return {
    ...put("in", named("IN")),
    ...put("out", named("OUT")),
    ...put("physIn", named("PHYSIN")),
    ...put("physOut", named("PHYSOUT")),
    ...macsOf(header),
    ...put("ip", ipOf(found, 0)),
    ...put("mark", numberOf(header.get("MARK"))),
    ...put("uid", numberOf(header.get("UID"))),
    ...put("gid", numberOf(header.get("GID"))),
  };
}
