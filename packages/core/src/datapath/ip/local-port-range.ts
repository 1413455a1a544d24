import type { PortRange } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { sysctl } from "../kernel/sysctl.ts";

/** net.ipv4.ip_local_port_range as it stands by default. */
export const EPHEMERAL: PortRange = { from: 32768, to: 60999 };

/** The ports that a stack draws from. Follows inet_get_local_port_range(). */
export function localPortRange(kernel: Kernel): PortRange {
  const { value } = sysctl(kernel, "net.ipv4.ip_local_port_range");
  if (last.value !== value) last = { value, range: rangeOf(value) };
  return last.range;
}

/** Every walk asks, and nearly all kernels say the same. */
let last: { readonly value: string; readonly range: PortRange } = { value: "", range: EPHEMERAL };

function rangeOf(text: string): PortRange {
  const [from, to] = text.trim().split(/\s+/).map(Number);
  return from !== undefined && to !== undefined && from <= to ? { from, to } : EPHEMERAL;
}
