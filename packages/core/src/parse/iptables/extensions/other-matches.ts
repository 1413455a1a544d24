import { type PortRange, PROTO, protocolNumber } from "../../../net/index.ts";
import { given, type OptionValues, option } from "../rule/extension.ts";
import {
  flag,
  hexPadded,
  hostOrNetwork,
  masked,
  oneOf,
  parsePort,
  parseUnsigned64,
  phrase,
  single,
  U32,
  unsigned,
  unsigned64,
  unsignedHex,
  unsignedRange,
  type Value,
  word,
} from "../values/index.ts";
import { otherMatch } from "./other.ts";

/** Matches that both families know and that are read and printed, not simulated. */

const anySpi = (range: PortRange) => range.from === 0 && range.to === U32;
const spi = (name: string) => option(name, unsignedRange(U32), { negatable: true, everything: anySpi });

export const ah = otherMatch({ name: "ah", family: 4, protocols: [51], fields: { spi: spi("--ahspi") } });
export const esp = otherMatch({ name: "esp", protocols: [50], fields: { spi: spi("--espspi") } });
export const ipcomp = otherMatch({
  name: "ipcomp",
  protocols: [108],
  fields: { spi: spi("--ipcompspi"), reserved: option("--compres", flag) },
});

export const bpf = otherMatch<{ bytecode: string; pinned: string }>({
  name: "bpf",
  fields: {
    bytecode: option("--bytecode", phrase("a BPF program"), { quoting: "always" }),
    pinned: option("--object-pinned", phrase("the path of a BPF object"), { quoting: "needed" }),
  },
  check: (all) =>
    (all.bytecode === undefined) === (all.pinned === undefined)
      ? "one of --bytecode and --object-pinned is needed"
      : undefined,
});

export const cgroup = otherMatch<{ path: string; classid: number }>({
  name: "cgroup",
  hooks: ["INPUT", "OUTPUT", "POSTROUTING"],
  fields: {
    path: option("--path", phrase("a path", 511), { negatable: true, quoting: "always" }),
    classid: option("--cgroup", unsigned(U32), { negatable: true }),
  },
  check: (all) =>
    (all.path === undefined) === (all.classid === undefined) ? "one of --path and --cgroup is needed" : undefined,
});

interface ClusterOptions {
  nodeMask: number;
  total: number;
  seed: number;
  node: number;
}
export const cluster = otherMatch<ClusterOptions>({
  name: "cluster",
  fields: {
    nodeMask: option("--cluster-local-nodemask", unsignedHex(U32, 8), { negatable: true }),
    total: option("--cluster-total-nodes", unsigned(32, 1), { required: true }),
    seed: option("--cluster-hash-seed", unsignedHex(U32, 8), { required: true }),
    node: option("--cluster-local-node", unsigned(32, 1), { negatable: true }),
  },
  check: (all) => {
    if ((all.nodeMask === undefined) === (all.node === undefined))
      return "one of --cluster-local-node and --cluster-local-nodemask is needed";
    return all.node && all.node.value > all.total!.value ? "the local node is one of the total nodes" : undefined;
  },
  normal: ({ node, ...rest }): OptionValues<ClusterOptions> =>
    node ? { ...rest, nodeMask: given((1 << (node.value - 1)) >>> 0, node.negated) } : rest,
});

/** `FROM[:TO]` of 64 bits; without an upper bound only FROM is printed. */
const bytesRange: Value<string> = single("FROM or FROM:TO", (text) => {
  const colon = text.indexOf(":");
  const low = colon < 0 ? text : text.slice(0, colon);
  const high = colon < 0 ? "" : text.slice(colon + 1);
  const from = low === "" && colon >= 0 ? "0" : parseUnsigned64(low);
  if (from === undefined) return undefined;
  if (high === "") return from;
  const to = parseUnsigned64(high);
  return to === undefined || BigInt(to) < BigInt(from) ? undefined : `${from}:${to}`;
});

export const connbytes = otherMatch({
  name: "connbytes",
  fields: {
    range: option("--connbytes", bytesRange, { negatable: true, required: true }),
    mode: option("--connbytes-mode", oneOf(["packets", "bytes", "avgpkt"]), { required: true }),
    direction: option("--connbytes-dir", oneOf(["original", "reply", "both"]), { required: true }),
  },
});

export const connlabel = otherMatch({
  name: "connlabel",
  fields: {
    label: option("--label", unsigned(127), { negatable: true, required: true, quoting: "always" }),
    set: option("--set", flag),
  },
});

export const cpu = otherMatch({
  name: "cpu",
  fields: { cpu: option("--cpu", unsigned(U32), { negatable: true, required: true }) },
});

export const devgroup = otherMatch({
  name: "devgroup",
  fields: {
    source: option("--src-group", masked, { negatable: true }),
    destination: option("--dst-group", masked, { negatable: true }),
  },
  check: (all) => (all.source || all.destination ? undefined : "one of --src-group and --dst-group is needed"),
});

export const ecn = otherMatch({
  name: "ecn",
  fields: {
    ece: option("--ecn-tcp-ece", flag, { negatable: true }),
    cwr: option("--ecn-tcp-cwr", flag, { negatable: true }),
    ect: option("--ecn-ip-ect", unsigned(3), { negatable: true }),
  },
  check: (all, { protocol }) => {
    if (!all.ece && !all.cwr && !all.ect) return "at least one option is needed";
    const tcp = protocol !== undefined && !protocol.negated && protocol.value === PROTO.tcp;
    return (all.ece || all.cwr) && !tcp ? "the TCP bits need -p tcp" : undefined;
  },
});

const vport = (name: string) =>
  option(
    name,
    single<number>("a port", (text) => parsePort(text)),
    { negatable: true },
  );

export const ipvs = otherMatch({
  name: "ipvs",
  fields: {
    ipvs: option("--ipvs", flag, { negatable: true }),
    protocol: option("--vproto", single<number>("a protocol", protocolNumber), { negatable: true }),
    address: option("--vaddr", hostOrNetwork, { negatable: true }),
    port: vport("--vport"),
    direction: option("--vdir", oneOf(["ORIGINAL", "REPLY"], {}, true)),
    method: option("--vmethod", oneOf(["GATE", "IPIP", "MASQ"], {}, true), { negatable: true }),
    control: vport("--vportctl"),
  },
  check: (all) => (Object.keys(all).length === 0 ? "at least one option is needed" : undefined),
});

export const nfacct = otherMatch({
  name: "nfacct",
  fields: { name: option("--nfacct-name", word("a name of at most 31 letters", 31), { required: true, gap: true }) },
});

export const osf = otherMatch({
  name: "osf",
  protocols: [PROTO.tcp],
  hooks: ["PREROUTING", "INPUT", "FORWARD"],
  fields: {
    genre: option("--genre", word("the name of an operating system", 31), { negatable: true, required: true }),
    ttl: option("--ttl", unsigned(2)),
    log: option("--log", unsigned(2)),
  },
});

export const quota = otherMatch({
  name: "quota",
  fields: { quota: option("--quota", unsigned64, { negatable: true, required: true }) },
});

const u32Number = (n: number) => hexPadded(n, 0);
/** XT_U32_MAXSIZE tests, each a location of numbers and operators, and a list of ranges. */
const u32Tests: Value<string> = single("tests LOCATION=RANGES joined by &&", (text) => {
  const tests = text.split("&&");
  const out: string[] = [];
  for (const test of tests) {
    const equals = test.indexOf("=");
    if (equals < 0 || tests.length > 11) return undefined;
    const numbers: string[] = [];
    const location = test
      .slice(0, equals)
      .split(/(&|<<|>>|@)/)
      .map((part) => part.trim());
    for (const [i, part] of location.entries()) {
      if (i % 2 === 1) numbers.push(part);
      else {
        const n = u32Parse(part);
        if (n === undefined) return undefined;
        numbers.push(u32Number(n));
      }
    }
    const ranges: string[] = [];
    for (const range of test.slice(equals + 1).split(",")) {
      const [low = "", high] = range.split(":", 2).map((part) => part.trim());
      const from = u32Parse(low);
      const to = high === undefined ? from : u32Parse(high);
      if (from === undefined || to === undefined) return undefined;
      ranges.push(from === to ? u32Number(from) : `${u32Number(from)}:${u32Number(to)}`);
    }
    out.push(`${numbers.join("")}=${ranges.join(",")}`);
  }
  return out.join("&&");
});
const u32Parse = (text: string): number | undefined => unsigned(U32).read([text], { family: 4, backend: "unknown" });

export const u32 = otherMatch({
  name: "u32",
  fields: { tests: option("--u32", u32Tests, { negatable: true, required: true, quoting: "always" }) },
});
