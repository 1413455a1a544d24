import type { Kernel } from "../kernel/kernel.ts";
import { conf6Setting, type SysctlValue } from "../kernel/sysctl.ts";

/** net.ipv6.conf.DEV.NAME as the device has it: writing `all` or `default` sets the devices, nothing is combined at use. */
export const conf6 = (kernel: Kernel, name: string, device: string): SysctlValue => conf6Setting(kernel, name, device);

export const conf6Flag = (kernel: Kernel, name: string, device: string): boolean =>
  Number(conf6(kernel, name, device).value) > 0;

/** Follows ip6_forward(): `all` decides, whatever the device says. */
export const forwards6 = (kernel: Kernel): SysctlValue => conf6(kernel, "forwarding", "all");
