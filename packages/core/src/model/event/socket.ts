/** What processes and their sockets did. */
export type SocketDecision =
  | { readonly kind: "asks" }
  /** A process sends what this names: SYN-ACK, data, an ICMP error. */
  | { readonly kind: "sends"; readonly what: string }
  | { readonly kind: "nobody-listens" }
  | { readonly kind: "protocol-unserved" }
  | { readonly kind: "socket-takes" }
  | { readonly kind: "ping-ignored" }
  | { readonly kind: "client-accepts" }
  | { readonly kind: "client-expects-other" }
  | { readonly kind: "client-learns" }
  | { readonly kind: "client-no-socket" }
  | { readonly kind: "connection-changed" }
  | { readonly kind: "lost-track" }
  | { readonly kind: "delivered" };
