import { type Text, text } from "../messages/index.ts";
import { isIpv4, isLinkLocal, isLoopback } from "../net/index.ts";
import type { Dump } from "../parse/case/dump.ts";
import type { Missing } from "./report.ts";
import { devicesOf, facts, type StackView, sysctlsOf, tablesOf } from "./view.ts";

const FORWARDING = "net.ipv6.conf.all.forwarding";

/** Whether a Service or a pod of the cluster has an address of IPv6. */
export const servesSix = (dumps: readonly Dump[]): boolean =>
  dumps.some((d) =>
    d.reading.facts.some(
      (f) =>
        f.kind === "kubernetes" &&
        (f.objects.services.some((s) => s.clusterIps.some((a) => !isIpv4(a))) ||
          f.objects.pods.some((p) => p.addresses.some((a) => !isIpv4(a)))),
    ),
  );

/** What a node that takes part in IPv6 leaves open of it. `served`: the objects speak it; `rules`: a ruleset of nft was given. */
export function missingSix(view: StackView, served: boolean, rules: boolean): Omit<Missing, "node"> | undefined {
  const routes = facts(view, "routes").filter((f) => f.family === 6);
  const policy = facts(view, "routing-rules").filter((f) => f.family === 6);
  const tables = tablesOf(view).filter((t) => t.family === 6);
  if (!served && routes.length + policy.length + tables.length === 0) return undefined;
  const addressed = devicesOf(view).some((d) =>
    d.addresses.some(({ prefix: { address } }) => !isIpv4(address) && !isLoopback(address) && !isLinkLocal(address)),
  );
  if (!addressed) return undefined;
  const whole = new Set(tables.flatMap((t) => (t.extent === "whole" ? [t.name] : [])));
  const open: readonly (readonly [boolean, Text, string])[] = [
    [!rules && !(whole.has("nat") && whole.has("filter")), text("missing.six-iptables"), "ip6tables-save -c"],
    [!routes.some((f) => f.extent === "whole"), text("missing.routes"), "ip -6 route show table all"],
    [!policy.some((f) => f.extent === "whole"), text("missing.rules"), "ip -6 rule"],
    [!sysctlsOf(view).some((e) => e.key === FORWARDING), text("missing.sysctls"), `sysctl ${FORWARDING}`],
  ];
  const lacking = open.filter(([is]) => is);
  if (lacking.length === 0) return undefined;
  return {
    what: text("missing.six"),
    why: text("missing.six-why", { what: lacking.map(([, what]) => what) }),
    command: lacking.map(([, , command]) => command).join("; "),
  };
}
