import type { Decision } from "./decision.ts";

/** What routing, source validation and forwarding decided. */
export type RoutingDecision =
  | { readonly kind: "no-route"; readonly errno: string }
  | { readonly kind: "connect-fails"; readonly errno: string }
  | { readonly kind: "reroute-failed"; readonly where: string; readonly errno: string }
  /** Input routing failed: what ip_error() answers with. */
  | { readonly kind: "input-routing"; readonly errno: string }
  /** Input routing failed: why the packet ends. */
  | { readonly kind: "unroutable"; readonly errno: string }
  | { readonly kind: "forwarding-off"; readonly device: string }
  /** net.ipv6.conf.all.forwarding. */
  | { readonly kind: "forwarding6-off" }
  | { readonly kind: "ipv6-disabled"; readonly device: string }
  /** ::1 came in by a device that is not lo. */
  | { readonly kind: "loopback-on-wire"; readonly device: string }
  /** A source that is good on its link only is not forwarded. */
  | { readonly kind: "link-local-source" }
  /** TCP to a subnet-router anycast address. */
  | { readonly kind: "anycast-tcp" }
  /** An error was due and could not be sent. */
  | { readonly kind: "no-way-back"; readonly decision: Decision }
  | { readonly kind: "source-multicast" }
  | { readonly kind: "multicast-unheard" }
  | { readonly kind: "source-zero" }
  | { readonly kind: "destination-zero" }
  | { readonly kind: "to-localnet"; readonly device: string }
  | { readonly kind: "from-localnet"; readonly device: string }
  /** Source validation refused it; the step before says why. */
  | { readonly kind: "refused-source"; readonly by: "rp_filter" | "martian source" }
  | { readonly kind: "ttl" }
  /** TPROXY handed it to a socket, and no route delivers it here. */
  | { readonly kind: "handed-to-socket" }
  | { readonly kind: "over-mtu" }
  | { readonly kind: "fragments-missing" }
  | { readonly kind: "too-big"; readonly bytes: number; readonly mtu: number; readonly device: string }
  | SourceDecision;

/** What fib_validate_source() found. */
export type SourceDecision =
  | { readonly kind: "rp-off"; readonly acceptLocal: boolean }
  | { readonly kind: "rp-no-route-off" }
  | { readonly kind: "rp-no-route"; readonly errno: string; readonly value: number }
  | { readonly kind: "rp-source-type"; readonly type: string }
  | { readonly kind: "rp-same-device"; readonly device: string }
  | { readonly kind: "rp-no-address"; readonly device: string; readonly back: string }
  | { readonly kind: "rp-strict"; readonly device: string; readonly back: string }
  | { readonly kind: "rp-passes"; readonly back: string; readonly value: number }
  | { readonly kind: "own-source"; readonly device: string };
