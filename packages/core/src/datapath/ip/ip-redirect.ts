import type { Device, Packet } from "../../model/index.ts";
import { type Address, contains, isIpv4 } from "../../net/index.ts";
import { natFinished } from "../conntrack/nf-nat.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { confKey, devConf, devConfFlag } from "../kernel/sysctl.ts";
import { inetAddrType } from "../route/fib.ts";
import { isOnLink } from "../route/fib-validate-source.ts";
import { ipRouteOutput } from "../route/ip-route-output.ts";
import { isRouteError } from "../route/route-result.ts";
import { errorAbout, sendError } from "./icmp-send.ts";

/** A packet that a router handed back to the link it came from, and whom its sender could have asked at once. */
export interface Detour {
  readonly skb: Skb;
  readonly device: Device;
  /** Absent: the destination is on the link itself. */
  readonly gateway: Address | undefined;
  /** The connection was new, and its translation not decided to the end, as it never is before POSTROUTING. */
  readonly natUnfinished: boolean;
}

/** Whoever is told is told at once; what is told of matters to what is sent next alone (walk.ts). */
export function noteDetour(kernel: Kernel, skb: Skb, device: Device, gateway: Address | undefined): void {
  const natUnfinished = skb.ct !== undefined && !natFinished(skb.ct);
  kernel.detours.push({
    skb: { ...skb },
    device,
    gateway: gateway !== undefined && isIpv4(gateway) ? gateway : undefined,
    natUnfinished,
  });
}

const REDIRECT = 5;
const REDIRECT_HOST = 1;

/**
 * Tells a sender on the same link of the shorter way. Follows __mkroute_input() (IPSKB_DOREDIRECT) and ip_rt_send_redirect(), which
 * also tells less and less often: that is time's to say.
 */
export function ipRtSendRedirect(kernel: Kernel, { skb, device, gateway, natUnfinished }: Detour): void {
  const { src, dst } = skb.packet;
  if (!devConfFlag(kernel, "send_redirects", device.name) || !isOnLink(kernel, skb, device)) return;
  if (!sharesMedia(kernel, device) && !onOneSubnet(device, src, gateway)) return;
  const error = errorAbout(kernel, skb, { type: REDIRECT, code: REDIRECT_HOST, target: gateway ?? dst });
  if (error === undefined || error === "no way back") return;
  // No leg of the packet's own: that it was redirected is not what became of it.
  const answer = kernel.network.tell(error.packet, "ICMP redirect");
  answer.natUnfinished = natUnfinished;
  sendError(kernel, skb, error, answer);
}

/** A redirect reached a stack. Follows __ip_do_redirect() (net/ipv4/route.c): only the gateway in use is believed. True: it was. */
export function ipDoRedirect(kernel: Kernel, { src: old, icmp }: Packet, device: Device | undefined): boolean {
  const { inner, target } = icmp ?? {};
  if (inner === undefined || target === undefined || device === undefined || target === old) return false;
  const { dst: daddr, src: saddr, tos, protocol } = inner;
  const route = ipRouteOutput(kernel, { daddr, saddr, mark: 0, tos, protocol });
  if (isRouteError(route) || route.gateway !== old || route.device !== device) return false;
  if (!acceptsRedirects(kernel, device)) return false;
  if (!sharesMedia(kernel, device) && (!onOneSubnet(device, target, old) || !isSecure(kernel, device, target)))
    return false;
  if (inetAddrType(kernel, target) !== "UNICAST") return false;
  kernel.redirected.set(daddr, target);
  return true;
}

/** IN_DEV_RX_REDIRECTS(): who forwards wants both switches on, anybody else one of them. Kernels start with both on, routers with `all` off. */
function acceptsRedirects(kernel: Kernel, { name }: Device): boolean {
  const { sysctls } = kernel.stack;
  const forwards = devConf(kernel, "forwarding", name).value !== "0";
  const usual = forwards ? "0" : "1";
  const [own, all] = [name, "all"].map((d) => (sysctls.get(confKey("accept_redirects", d))?.value ?? usual) !== "0");
  return forwards ? own! && all! : own! || all!;
}

/** IN_DEV_SHARED_MEDIA(), on from the start. */
const sharesMedia = ({ stack: { sysctls } }: Kernel, { name }: Device): boolean =>
  [name, "all"].some((d) => (sysctls.get(confKey("shared_media", d))?.value ?? "1") !== "0");

/** IN_DEV_SEC_REDIRECTS(), on from the start: only to a gateway of a default route (ip_fib_check_default()). */
function isSecure({ stack: { sysctls, routeTables } }: Kernel, { name }: Device, gateway: Address): boolean {
  if ([name, "all"].every((d) => sysctls.get(confKey("secure_redirects", d))?.value === "0")) return true;
  return routeTables.some(({ routes }) =>
    routes.some(
      (r) => r.destination.length === 0 && r.nexthops.some((h) => h.gateway === gateway && h.device === name),
    ),
  );
}

/** inet_addr_onlink(): without a gateway the sender alone is asked for. */
const onOneSubnet = ({ addresses }: Device, a: Address, b: Address | undefined): boolean =>
  addresses.some(({ prefix, peer }) => contains(peer ?? prefix, a) && (b === undefined || contains(peer ?? prefix, b)));
