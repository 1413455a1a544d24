import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { playScript } from "@hairpin/core/trace/walk/script.ts";
import { netnsSupport, type Observations, openNetns } from "@hairpin/lab/index.ts";
import { generate } from "@hairpin/lab/soak/generate/index.ts";
import { compare, observe } from "@hairpin/lab/soak/judge.ts";
import type { Scenario } from "@hairpin/lab/soak/scenario.ts";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** A simulator broken on purpose: a text of one file, of the datapath where no other room is named, and what stands there instead. */
interface Fault {
  readonly what: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const FAULTS: readonly Fault[] = [
  { what: "goto as jump", file: "iptables/ipt-do-table.ts", from: "if (!target.goto) stack.push", to: "stack.push" },
  {
    what: "loose rp_filter as strict",
    file: "route/fib-validate-source.ts",
    from: "if (rpf === 1) {",
    to: "if (rpf >= 1) {",
  },
  {
    what: "rp_filter without the translated destination",
    file: "route/fib-validate-source.ts",
    from: "saddr: dst,",
    to: "saddr: 0,",
  },
  {
    what: "a source of one's own is believed",
    file: "route/fib-validate-source.ts",
    from: 'result: "martian source",\n  decision: { kind: "own-source"',
    to: 'result: "ok",\n  decision: { kind: "own-source"',
  },
  {
    what: "MASQUERADE by the first address of the stack",
    file: "conntrack/nf-nat-masquerade.ts",
    from: "inetSelectAddr(kernel, out, skb.route?.gateway ?? dst, SCOPE_UNIVERSE)",
    to: "inetSelectAddr(kernel, kernel.stack.devices.items[0]!, skb.route?.gateway ?? dst, SCOPE_UNIVERSE)",
  },
  {
    what: "forwarding takes no TTL",
    file: "ip/ip-forward.ts",
    from: "ttl: skb.packet.ttl - 1",
    to: "ttl: skb.packet.ttl",
  },
  {
    what: "routing rules do not look at marks",
    file: "route/fib.ts",
    from: "& mask) !== 0) return rule.not;",
    to: "& 0) !== 0) return rule.not;",
  },
  {
    what: "DNAT in OUTPUT does not route again",
    file: "netfilter/nf-hooks.ts",
    from: 'if (state.hook !== "OUTPUT") return "accept";',
    to: 'if (state.hook.length > 0) return "accept";',
  },
  {
    what: "errors do not belong to the connection they answer",
    file: "ip/icmp-send.ts",
    from: "if (cause.ct === undefined) return;",
    to: "if (cause.leg >= 0) return;",
  },
  {
    what: "bridged frames pass no iptables",
    file: "link/br-netfilter.ts",
    from: "if (!callsIptables(kernel, bridge, four) || !isIpToNetfilter(kernel, skb)) {",
    to: "if (bridge.name.length > 0) {",
  },
  {
    what: "a SYN-ACK nobody asked for starts a connection",
    file: "conntrack/nf-conntrack-tcp.ts",
    from: 'synack: row("IV IV SR IV IV IV IV IV IV SR"),',
    to: 'synack: row("SR IV SR IV IV IV IV IV IV SR"),',
  },
  {
    what: "ARP believes every sender",
    file: "link/arp.ts",
    from: "if (sender !== undefined && fibValidateSource",
    to: "if (sender === ANY4 && fibValidateSource",
  },
  {
    what: "ARP is routed by the protocol of what waits for it",
    file: "link/arp.ts",
    from: "target, forwardTo, ARP_FLOW) !==",
    to: "target, forwardTo) !==",
  },
  {
    what: "routing rules do not look at the protocol",
    file: "route/fib.ts",
    from: "rule.ipProto !== undefined && rule.ipProto !== key.protocol",
    to: "rule.ipProto !== undefined && rule.ipProto < 0",
  },
  {
    what: "a tunnel's packet leaves the mark behind",
    file: "kernel/skb.ts",
    from: "scrub(skb);\n  skb.mark = mark;",
    to: "scrub(skb);",
  },
  {
    what: "a tunnel's packet forgets the device it came by",
    file: "tunnel/iptunnel.ts",
    from: "skb.packet = outer;\n  skb.dev = device;",
    to: "skb.packet = outer;\n  delete skb.dev;",
  },
  {
    what: "VXLAN goes on counting the TTL of what it carries",
    file: "tunnel/vxlan.ts",
    from: "          : dstHoplimit(kernel, route),",
    to: "          : inner.ttl,",
  },
  {
    what: "nft: goto as jump",
    file: "nft/nft-do-chain.ts",
    from: 'if (verdict.kind === "jump") frames.push',
    to: "frames.push",
  },
  {
    what: "nft: chains of one priority in the order of the listing",
    file: "nft/hooks.ts",
    from: "  return found.reverse().sort(",
    to: "  return found.sort(",
  },
  {
    what: "nft: in a set and not in it are one",
    file: "nft/match.ts",
    from: 'if (op === "!=" || op === "!") return not(inside);',
    to: "",
  },
  {
    what: "nft: no verdict map holds anything",
    file: "nft/statement.ts",
    from: 'if (verdict === undefined || found === "none") return BREAK;',
    to: "return BREAK;",
  },
  {
    what: "nft: the policy of a base chain is always accept",
    file: "nft/nft-do-chain.ts",
    from: 'if (base.base?.policy !== "drop")',
    to: 'if (base.name !== "")',
  },
  {
    what: "nft: marks are not set",
    file: "nft/statement.ts",
    from: 'skb.mark = n;\n    return done({ kind: "mark", mark: n });',
    to: 'return done({ kind: "mark", mark: n });',
  },
  {
    what: "nft: a range begins behind its first value",
    file: "nft/register.ts",
    from: 'return r.kind === "number" ? r.value >= low &&',
    to: 'return r.kind === "number" ? r.value > low &&',
  },
  {
    what: "nft: a verdict map has no catch-all",
    file: "nft/lookup.ts",
    from: 'return index.otherwise ?? "none";',
    to: 'return "none";',
  },
  {
    what: "nft: return goes on in the same chain",
    file: "nft/nft-do-chain.ts",
    from: 'note({ kind: "return" });\n        const back = frames.pop();',
    to: 'note({ kind: "return" });\n        if (frames.length > 0) continue;\n        const back = frames.pop();',
  },
  {
    what: "nft: what a packet puts into a set is not there",
    file: "nft/lookup.ts",
    from: "if (added !== undefined) return added;",
    to: "",
  },
  {
    what: "nft: a reject before routing is not answered",
    file: "netfilter/nf-reject.ts",
    from: 'if (whole && (state.hook !== "PREROUTING" || fillRoute(kernel, skb, how))) {',
    to: 'if (whole && state.hook !== "PREROUTING") {',
  },
  {
    what: "nft: a translation does not end the chain's asking",
    file: "netfilter/nf-hooks.ts",
    from: "      if (natInitialised(ct, manip)) {\n        decided = verdict;\n        break;",
    to: "      if (natInitialised(ct, manip)) {\n        decided = verdict;",
  },
  {
    what: "IPv6: forwarding takes no hop limit",
    file: "ipv6/ip6-forward.ts",
    from: "ttl: skb.packet.ttl - 1",
    to: "ttl: skb.packet.ttl",
  },
  {
    what: "IPv6: forwarding as the device has it",
    file: "ipv6/ip6-forward.ts",
    from: "const may = forwards6(kernel);",
    to: 'const may = { ...forwards6(kernel), value: conf6Flag(kernel, "forwarding", device.name) ? "1" : "0" };',
  },
  {
    what: "IPv6: ::1 is believed on a wire",
    file: "ipv6/ipv6-rcv.ts",
    from: 'if (device.kind !== "loopback" && (isLoopback(src) || isLoopback(dst))) {',
    to: 'if (device.kind !== "loopback" && device.kind === "dummy") {',
  },
  {
    what: "IPv6: the first address is the source",
    file: "ipv6/ipv6-dev-get-saddr.ts",
    from: "if (best === undefined || isBetter(scores, best.scores))",
    to: "if (best === undefined)",
  },
  {
    what: "IPv6: an error comes from the address of the way out",
    file: "ipv6/icmpv6-send.ts",
    from: "return ipv6DevGetSaddr(kernel, iif6 ?? dev, packet.src)?.address;",
    to: "return undefined;",
  },
  {
    what: "IPv6: errors do not belong to the connection they answer",
    file: "ipv6/icmpv6-send.ts",
    from: "  attach(answer, cause);\n",
    to: "",
  },
  {
    what: "IPv6: neighbour discovery passes no OUTPUT",
    file: "ipv6/ndisc.ts",
    from: 'if (nfHook(kernel, skb, { hook: "OUTPUT", out }) !== "accept") return false;',
    to: "",
  },
  {
    what: "IPv6: a route that leads nowhere is passed over",
    file: "ipv6/fib6.ts",
    from: "if (errno !== undefined) return { type",
    to: "if (errno !== undefined) continue;\n    if (errno !== undefined) return { type",
  },
  {
    what: "a router sends on what is too long and may not be cut",
    file: "ip/ip-forward.ts",
    from: "if (skb.packet.df && skb.packet.length > mtu) {",
    to: "if (skb.packet.df && skb.packet.length > mtu + 65_535) {",
  },
  {
    what: "a fragment is taken for the whole",
    file: "ip/ip-defrag.ts",
    from: "if (payload === undefined) return false;",
    to: "if (payload === undefined) return true;",
  },
  {
    what: "a veth takes frames of any length",
    file: "link/is-skb-forwardable.ts",
    from: "gso || mtu === undefined ||",
    to: "gso || mtu !== 0 ||",
  },
  {
    what: "what a path carries is not learnt",
    file: "route/dst-mtu.ts",
    from: "pathMtu.set(inner.dst, Math.min(announced, known ?? announced));",
    to: "",
  },
  {
    what: "who does not discover paths sets DF",
    file: "ip/ip-send.ts",
    from: 'return sysctl(kernel, NO_PMTU_DISC).value === "0";',
    to: "return true;",
  },
  {
    what: "TCPMSS changes nothing",
    file: "ip/tcp-mss.ts",
    from: "packet.mss > mss) skb.packet = { ...packet, mss };",
    to: "packet.mss > mss) skb.packet = packet;",
  },
  {
    what: "-f matches every packet",
    file: "model/netfilter/ip-packet-match.ts",
    from: "isLaterFragment(packet) === fragment.negated",
    to: "fragment.negated",
  },
  {
    what: "u32 never holds",
    file: "iptables/matches/u32.ts",
    from: 'if (all !== "unknown") return all !== option.negated;',
    to: 'if (all !== "unknown") return false;',
  },
  {
    what: "a socket bound to a device hears what comes by others",
    file: "trace/walk/transport.ts",
    from: "boundDevice === undefined || skb.dev === undefined ||",
    to: "boundDevice !== null ||",
  },
  {
    what: "the type of service of a socket is forgotten",
    file: "trace/walk/script-transport.ts",
    from: "{ ...syn, tos: connection.tos }",
    to: "syn",
  },
  {
    what: "a bucket never runs out",
    file: "iptables/matches/rate.ts",
    from: "bucket.tokens--;",
    to: "",
  },
  {
    what: "connlimit counts nobody else",
    file: "iptables/matches/connlimit.ts",
    from: "others.length + (own",
    to: "0 + (own",
  },
  {
    what: "SET changes nothing",
    file: "ipset/ip-set-change.ts",
    from: "changes.elements.set(element, added);",
    to: "",
  },
  {
    what: "rules by length never hold",
    file: "iptables/matches/header.ts",
    from: "(lengthOf(c.skb) >= m.range.from",
    to: "(0 > m.range.from",
  },
  {
    what: "a neighbour put down by hand is asked for",
    file: "link/neighbour.ts",
    from: 'known?.states.includes("PERMANENT")',
    to: 'known?.states.includes("FAILED")',
  },
  {
    what: "the kernel's own packets have an owner",
    file: "iptables/matches/origin.ts",
    from: "if (socket === undefined) return [m.socketExists",
    to: "if (socket === null) return [m.socketExists",
  },
];

const core = fileURLToPath(new URL("../../packages/core/src/", import.meta.url));
const SEED = 20_261;
const WORLDS = 120;
/** As many again in which every node has nftables tables. */
const NATIVE = 80;
/** And these of both families. */
const DUAL = 80;
const FIRST_DUAL = 5;

/** And as many in which all is large and paths are narrow. */
const LARGE = 60;

const ALL = WORLDS + NATIVE + DUAL + LARGE;
const kindOf = (n: number) =>
  n < WORLDS ? {} : n < WORLDS + NATIVE ? { nft: 1 } : n < WORLDS + NATIVE + DUAL ? { ipv6: true } : { large: true };

const netns = netnsSupport();
if (!netns.usable) console.warn(`SKIPPED: planted faults: ${netns.reasons.join("; ")}`);
describe.skipIf(!netns.usable)("a broken simulator is caught", () => {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-faults-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const agreed: { readonly scenario: Scenario; readonly seen: Observations; readonly six: boolean }[] = [];

  beforeAll(async () => {
    const backend = await openNetns();
    try {
      for (let n = 0; n < ALL; n++) {
        const six = "ipv6" in kindOf(n);
        const world = six ? FIRST_DUAL + n - WORLDS - NATIVE : n;
        const scenario = generate(SEED, world, { kernel: backend.profile.kernel, ipvs: false, ...kindOf(n) });
        const seen = await observe(backend, scenario);
        if (!("kind" in seen) && compare(scenario, seen).kind === "agrees") agreed.push({ scenario, seen, six });
      }
    } finally {
      await backend.close();
    }
  }, 1_800_000);

  test("the simulator as it is agrees with the kernel", () => {
    expect(agreed.length).toBeGreaterThan(ALL * 0.9);
  });

  test.each(FAULTS)(
    "$what",
    async ({ what, file, from, to }) => {
      const within = /^(?:trace|model)\//.test(file) ? file : `datapath/${file}`;
      const path = join(core, within);
      const source = readFileSync(path, "utf8");
      expect(source.split(from).length).toBe(2);
      const outfile = join(folder, `${FAULTS.findIndex((f) => f.what === what)}.mjs`);
      await build({
        entryPoints: [join(core, "trace/walk/script.ts")],
        bundle: true,
        format: "esm",
        platform: "node",
        outfile,
        logLevel: "silent",
        plugins: [
          {
            name: "fault",
            setup: (b) =>
              b.onLoad({ filter: new RegExp(`/${within.replace(".", "\\.")}$`) }, () => ({
                contents: source.replace(from, to),
                loader: "ts",
              })),
          },
        ],
      });
      const broken = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as {
        readonly playScript: typeof playScript;
      };
      const differs = ({ scenario, seen }: (typeof agreed)[number]) =>
        compare(scenario, seen, broken.playScript).kind === "differs";
      const asked = agreed.filter(({ six }) => six === what.startsWith("IPv6: "));
      expect(asked.some(differs)).toBe(true);
    },
    60_000,
  );
});
