import type { Skb } from "../kernel/skb.ts";

/** The device by which a socket takes a packet to have come in. Follows inet_iif(): over lo, the one that has the address. */
export const inetIif = ({ route, dev }: Skb): string | undefined => route?.iif ?? dev?.name;
