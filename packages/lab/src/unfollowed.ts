import { assumed, confKey, type Stack, type SysctlEntry, type World } from "@hairpin/core/model/index.ts";
import type { Remark } from "./realise/report.ts";

const origin = assumed("the lab follows no redirect");

/** Said where somebody would. */
export const UNFOLLOWED: Remark = {
  kind: "substituted",
  text: "nobody follows an ICMP redirect: who does sends later packets another way",
};

/**
 * The World as the lab makes it: nobody follows a redirect. Who does takes another path from some later packet on, after a second where it is a SYN's retry
 * (tcp_v4_err(), update_or_create_fnhe()), longer than the lab waits.
 */
export const unfollowed = (world: World): World => ({ ...world, stacks: world.stacks.map(deaf) });

function deaf(stack: Stack): Stack {
  const sysctls = new Map<string, SysctlEntry>(stack.sysctls);
  for (const name of ["all", ...stack.devices.items.map((d) => d.name)]) {
    const key = confKey("accept_redirects", name);
    sysctls.set(key, { key, value: "0", origin });
  }
  return { ...stack, sysctls };
}
