import { type ConntrackDecision, type NatRange, type NetfilterDecision, proxyNftName } from "../../model/index.ts";
import { formatAddress } from "../../net/index.ts";
import { type Text, text, verbatim } from "../text.ts";
import { decisionText } from "./decision.ts";
import { hex, type Renderers } from "./render.ts";

const conntrack: Renderers<ConntrackDecision> = {
  "ct-bad-checksum": () => text("step.ct-bad-checksum"),
  "ct-bad-flags": () => text("step.ct-bad-flags"),
  "ct-new": () => text("step.ct-new"),
  "ct-no-fit": ({ state }) => text("step.ct-no-fit", { state }),
  "ct-reply": () => text("step.ct-reply"),
  "ct-original": () => text("step.ct-original"),
  "ct-offloaded": ({ flowtable }) => text("step.ct-offloaded", { flowtable }),
  "ct-quotes-unknown": () => text("step.ct-quotes-unknown"),
  "ct-quotes-other": () => text("step.ct-quotes-other"),
  "ct-quotes": () => text("step.ct-quotes"),
  "ct-no-syn": () => text("step.ct-no-syn"),
  "ct-not-loose": () => text("step.ct-not-loose"),
  "ct-unasked": () => text("step.ct-unasked"),
  "ct-confirmed": () => text("step.ct-confirmed"),
  "ct-clash": () => text("step.ct-clash"),
};

/** In kube-proxy's nftables mode a chain's name says whose it is, behind a hash and before addresses. */
function chainText(chain: string, place: number | undefined): string | Text {
  const about = proxyNftName(chain);
  if (about === undefined) return chain;
  const { role, service } = about;
  if (role !== "endpoint") return text("step.chain-of-service", { chain, service });
  return place === undefined
    ? text("step.chain-of-endpoint", { chain, service })
    : text("step.chain-of-endpoint-n", { chain, service, place });
}

export const netfilter: Renderers<NetfilterDecision> = {
  ...conntrack,
  jump: ({ chain, place }) => text("step.jump", { chain: chainText(chain, place) }),
  goto: ({ chain, place }) => text("step.goto", { chain: chainText(chain, place) }),
  return: () => text("step.return"),
  policy: ({ policy }) => text("step.policy", { policy }),
  "policy-of": ({ policy, rule }) => text("step.policy-of", { policy, chain: rule.chain }),
  "unshown-entry": () => text("step.unshown-entry"),
  "unshown-rule": ({ table }) => text("step.unshown-rule", { table }),
  "in-chain": ({ decision, rule }) => text("step.in-chain", { decision: decisionText(decision), chain: rule.chain }),
  "no-match": ({ criterion }) => text(`no-match.${criterion}`),
  "match-failed": ({ match }) => text("no-match.match", { match }),
  accept: () => verbatim("ACCEPT"),
  drop: () => verbatim("DROP"),
  counted: () => text("step.counted"),
  log: () => text("step.log"),
  reject: ({ how }) => text("step.reject", { how }),
  target: ({ name }) => verbatim(name),
  set: ({ action, set }) => verbatim(`SET ${action} ${set}`),
  tos: ({ tos }) => verbatim(`TOS ${hex(tos)}`),
  dscp: ({ dscp }) => verbatim(`DSCP ${hex(dscp)}`),
  "ttl-set": ({ ttl }) => verbatim(`TTL ${ttl}`),
  mss: ({ mss }) => verbatim(`MSS ${mss}`),
  mark: ({ mark }) => text("step.mark", { mark: hex(mark) }),
  "mark-restored": ({ mark }) => text("step.mark-restored", { mark: hex(mark) }),
  connmark: ({ mark }) => text("step.connmark", { mark: hex(mark) }),
  "connmark-saved": ({ mark }) => text("step.connmark-saved", { mark: hex(mark) }),
  "no-connection": ({ target }) => text("step.no-connection", { target }),
  tproxy: ({ port, mark }) => text("step.tproxy", { port, mark: `0x${mark.toString(16)}` }),
  "tproxy-nobody": () => text("step.tproxy-nobody"),
  "ct-tracked": () => text("step.ct-tracked"),
  tracked: () => text("step.tracked"),
  "not-tracked": () => text("step.not-tracked"),
  offloaded: ({ flowtable, devices }) => text("step.offloaded", { flowtable, devices: devices.join(", ") }),
  "nothing-to-translate": ({ target }) => text("step.nothing-to-translate", { target }),
  "nat-to": ({ target, to }) => text("step.nat-to", { target, to: rangeText(to) }),
  "without-address": ({ target }) => text("step.without-address", { target }),
  "masquerade-own": ({ address, device }) => text("step.masquerade-own", { address: formatAddress(address), device }),
  "masquerade-other": ({ address, owner, device }) =>
    text("step.masquerade-other", { address: formatAddress(address), owner, device }),
  "masquerade-unset": () => text("step.masquerade-unset"),
  "masquerade-none": ({ device }) => text("step.masquerade-none", { device }),
  "masquerade-device-changed": ({ device, out }) => text("step.masquerade-device-changed", { device, out }),
  "redirect-none": ({ device }) => text("step.redirect-none", { device }),
  "nat-connection": () => text("step.nat-connection"),
  "nat-undone": () => text("step.nat-undone"),
  "nat-icmp": () => text("step.nat-icmp"),
  "nat-redirect": () => text("step.nat-redirect"),
};

function rangeText({ addresses, ports }: NatRange): string {
  const span = (from: string | number, to: string | number) => (from === to ? `${from}` : `${from}-${to}`);
  const address = addresses === undefined ? "" : span(formatAddress(addresses.from), formatAddress(addresses.to));
  if (ports === undefined) return address;
  // As iptables writes it.
  return `${address.includes(":") ? `[${address}]` : address}:${span(ports.from, ports.to)}`;
}
