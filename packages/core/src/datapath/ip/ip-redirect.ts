import type { Device, Packet } from "../../model/index.ts";
import { type Address, contains } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { icmpPacket, type Skb } from "../kernel/skb.ts";
import { confKey, devConf, devConfFlag } from "../kernel/sysctl.ts";
import { dstHoplimit } from "../route/dst-hoplimit.ts";
import { inetAddrType } from "../route/fib.ts";
import { ipRouteOutput } from "../route/ip-route-output.ts";
import { isRouteError } from "../route/route-result.ts";
import { attach } from "./icmp-send.ts";
import { ipLocalOut } from "./ip-output.ts";

/** A packet that a router handed back to the link it came from, and whom its sender could have asked at once. */
export interface Detour {
  readonly skb: Skb;
  readonly device: Device;
  readonly gateway: Address;
}

const REDIRECT = 5;
const REDIRECT_HOST = 1;

export const isRedirect = ({ icmp, protocol }: Packet): boolean => protocol === 1 && icmp?.type === REDIRECT;

/**
 * Tells a sender on the same link of the shorter way. Follows __mkroute_input() (IPSKB_DOREDIRECT) and ip_rt_send_redirect(). What was
 * translated is not told of: nf_nat_icmp_reply_translation() drops redirects of translated connections.
 */
export function ipRtSendRedirect(kernel: Kernel, { skb, device, gateway }: Detour): void {
  const { packet, ct } = skb;
  if (!devConfFlag(kernel, "send_redirects", device.name) || ct?.srcNat === true || ct?.dstNat === true) return;
  const back = ipRouteOutput(kernel, { daddr: packet.src, saddr: undefined, mark: 0, tos: 0, protocol: 1 });
  // fib_validate_source() says so of a sender that is on the link itself.
  if (isRouteError(back) || back.device !== device || back.gateway !== undefined || back.source === undefined) return;
  if (!sharesMedia(kernel, device) && !onOneSubnet(device, packet.src, gateway)) return;
  const header = { type: REDIRECT, code: REDIRECT_HOST, id: 0, inner: packet, target: gateway };
  const redirect = { ...icmpPacket(back.source, packet.src, header), tos: 0xc0, ttl: dstHoplimit(kernel, back) };
  const answer = kernel.network.tell(redirect, "ICMP redirect");
  answer.route = back;
  answer.socket = { kernel: true };
  attach(answer, skb);
  ipLocalOut(kernel, answer);
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

/** inet_addr_onlink() */
const onOneSubnet = ({ addresses }: Device, a: Address, b: Address): boolean =>
  addresses.some(({ prefix, peer }) => contains(peer ?? prefix, a) && contains(peer ?? prefix, b));
