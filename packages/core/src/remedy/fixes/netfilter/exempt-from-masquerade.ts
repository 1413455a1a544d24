import { text } from "../../../messages/index.ts";
import { type HookStep, isKubeProxyTable, type NatStep, type NftTable, type Stack } from "../../../model/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { familyOf, formatAddress, formatPrefix, isHost, networkOf } from "../../../net/index.ts";
import { calledWords, command, flowWords, iptables, isMadeUp } from "../../commands.ts";
import type { Candidate, Command, Remedy, RemedyScene } from "../../fix.ts";
import { COMMENT, nftCalledWords, nftFlowWords, nftHost, ownRule } from "../../nft-commands.ts";
import { isOurs, lastOf, sourceNat, stackOf } from "../../scene.ts";

/** A masquerade that the flow does not need, and that sends the answer where it is refused. */
export const exemptFromMasquerade: Remedy = {
  code: "EXEMPT_FROM_MASQUERADE",
  cures: [
    "MASQ_TOO_MUCH",
    "MARTIAN_LOCAL_SOURCE",
    "SRC_SELECTION_MASQUERADE",
    "POLICY_ROUTE_POD_SOURCE",
    "NAT_PORT_REWRITE",
    "NETWORK_POLICY_DROP",
  ],
  propose: (scene) => {
    const { branch, world, question } = scene;
    const nat = sourceNat(branch.request);
    const stack = nat === undefined ? undefined : stackOf(world, nat.stack);
    if (nat === undefined || nat.hook !== "POSTROUTING" || !isOurs(stack)) return [];
    const family = familyOf(question.to);
    const chain = nativeChain(scene, nat, stack);
    if (chain !== undefined && isKubeProxyTable(chain.table.name)) return besideKubeProxy(scene, nat, stack);
    const exempt = (words: readonly string[]): Command =>
      chain === undefined
        ? iptables(stack, family, "nat", "-I", "POSTROUTING", ...words, "-j", "ACCEPT")
        : command(stack.name, [
            ...["nft", "insert", "rule", chain.table.family, nameWord(chain.table.name), nameWord(chain.name)],
            ...[...words, "accept", ...COMMENT],
          ]);
    const candidate = (words: readonly string[]): Candidate => ({
      code: "EXEMPT_FROM_MASQUERADE",
      summary: text("fix.exempt_from_masquerade", {
        stack: stack.name,
        source: formatAddress(nat.before.src),
        address: formatAddress(question.to),
      }),
      commands: [exempt(words)],
    });
    const called = nat.before.dst === question.to;
    const neighbours = called ? neighbourhood(scene) : undefined;
    const words = (chain === undefined ? flowWords : nftFlowWords)(world, nat.before, "request");
    const ip = family === 4 ? "ip" : "ip6";
    const sourced = chain === undefined ? (net: string) => ["-s", net] : (net: string) => [ip, "saddr", net];
    const length = sourced("").length;
    const from =
      words.slice(0, length - 1).join(" ") === sourced("").slice(0, -1).join(" ") ? words.slice(0, length) : [];
    const rest = words.slice(from.length);
    const { to, port, protocol } = question;
    return [
      ...(neighbours === undefined ? [] : [candidate([...sourced(neighbours), ...rest])]),
      ...(called
        ? []
        : [candidate([...from, ...(chain === undefined ? calledWords : nftCalledWords)(to, port, protocol)])]),
      candidate(words),
    ];
  },
};

/** kube-proxy's nat-postrouting stands at 100. */
const BEFORE_KUBE_PROXY = { type: "nat", hook: "postrouting", priority: 99 } as const;

/**
 * What kube-proxy writes it writes again, and an accept in a chain before it does not keep its own from being asked. The first translation
 * does (nf_nat_inet_fn()): to the address that the packet has.
 */
function besideKubeProxy({ world, question }: RemedyScene, nat: NatStep, stack: Stack): readonly Candidate[] {
  const { src } = nat.before;
  if (isMadeUp(world, src)) return [];
  const { to, port, protocol } = question;
  const candidate = (words: readonly string[]): Candidate => ({
    code: "EXEMPT_FROM_MASQUERADE",
    summary: text("fix.exempt_from_masquerade", {
      stack: stack.name,
      source: formatAddress(src),
      address: formatAddress(to),
    }),
    commands: ownRule(stack, familyOf(to), BEFORE_KUBE_PROXY, [...words, "snat", "to", formatAddress(src)]),
  });
  const called = [...nftHost("saddr", src), ...nftCalledWords(to, port, protocol)];
  return [...(nat.before.dst === to ? [] : [candidate(called)]), candidate(nftFlowWords(world, nat.before, "request"))];
}

/** The base chain of native nftables that translated it: an accept in any other one would not keep this one from being asked. */
function nativeChain(
  { branch }: RemedyScene,
  nat: NatStep,
  stack: Stack,
): { readonly table: NftTable; readonly name: string } | undefined {
  const { steps } = branch.request;
  const hook = lastOf(
    steps
      .slice(0, steps.indexOf(nat))
      .filter((s): s is HookStep => s.kind === "hook" && s.stack === stack.name && s.hook === "POSTROUTING"),
  );
  const table = stack.netfilter.nft?.find((t) => `${t.family} ${t.name}` === hook?.table);
  return hook?.native === undefined || table === undefined ? undefined : { table, name: hook.native.chain };
}

/** The network of a client on a bridge: all its neighbours have the same trouble. */
function neighbourhood({ world, question, branch }: RemedyScene): string | undefined {
  const client = stackOf(world, question.client);
  if (client?.kind !== "vm" && client?.kind !== "client") return undefined;
  const sent = branch.request.steps.find((s) => s.kind === "send")?.packet.src;
  const address = client.devices.items
    .flatMap((d) => d.addresses)
    .find((a) => sent !== undefined && a.prefix.address === sent && !isHost(a.prefix));
  return address === undefined ? undefined : formatPrefix(networkOf(address.prefix));
}
