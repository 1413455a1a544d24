import type { Dump } from "../parse/case/dump.ts";
import type { Facts } from "../parse/facts.ts";
import { setsNamedBy } from "./contradictions/missing-set.ts";
import type { Missing } from "./report.ts";
import { devicesOf, facts, rulesOf, type StackView, setsOf, tablesOf, viewsOf } from "./view.ts";

type Need = (view: StackView) => Omit<Missing, "node"> | undefined;

const iptables: Need = (view) => {
  const tables = tablesOf(view);
  const whole = new Set(tables.filter((t) => t.extent === "whole" && t.family === 4).map((t) => t.name));
  if (whole.has("nat") && whole.has("filter")) return undefined;
  const why =
    tables.length === 0
      ? "no rules were given, so every table is taken as empty"
      : whole.size === 0
        ? "only parts of the rules were given; the rest is taken as without effect"
        : `of the tables only ${[...whole].join(", ")} was given whole; the rest is taken as without effect`;
  return { what: "iptables rules", why, command: "iptables-save -c" };
};

const ipset: Need = (view) => {
  const named = new Set(tablesOf(view).flatMap((t) => t.chains.flatMap((c) => c.rules.flatMap(setsNamedBy))));
  if (named.size === 0 || facts(view, "ipset").some((f) => f.extent === "whole")) return undefined;
  const whole = new Set(setsOf(view).flatMap((s) => (s.extent === "whole" ? [s.name] : [])));
  const open = [...named].filter((name) => !whole.has(name));
  if (open.length === 0) return undefined;
  const shown = open.slice(0, 4).join(", ") + (open.length > 4 ? ` and ${open.length - 4} more` : "");
  return { what: "members of sets", why: `rules ask for ${shown}`, command: "ipset list" };
};

const KUBE_PROXY_SET = /^KUBE-(?:6-)?(?:CLUSTER-IP|LOAD-BALANCER|NODE-PORT|LOOP-BACK|EXTERNAL-IP|HEALTH-CHECK)/;

const ipvs: Need = (view) => {
  if (facts(view, "ipvs").some((f) => f.extent === "whole")) return undefined;
  const device = devicesOf(view).some((d) => d.name === "kube-ipvs0");
  const named = tablesOf(view).some((t) =>
    t.chains.some((c) => c.rules.some((r) => setsNamedBy(r).some((s) => KUBE_PROXY_SET.test(s)))),
  );
  if (!device && !named && facts(view, "ipvs").length === 0) return undefined;
  const why = device
    ? "kube-ipvs0 is there"
    : named
      ? "rules ask for kube-proxy's IPVS sets"
      : "only part of the virtual services was given";
  return { what: "IPVS virtual services", why, command: "ipvsadm -ln" };
};

const rules: Need = (view) =>
  facts(view, "routing-rules").some((f) => f.extent === "whole" && f.family === 4)
    ? undefined
    : { what: "routing rules", why: "without them the three default rules are assumed", command: "ip rule" };

const routes: Need = (view) => {
  const listings = facts(view, "routes").filter((f) => f.family === 4 && f.extent === "whole");
  if (listings.some((f) => f.tables === "all")) return undefined;
  const shown = new Set(listings.flatMap((f) => (f.tables === "all" ? [] : f.tables)));
  const wanted = rulesOf(view).flatMap((r) => (r.action.kind === "lookup" && r.family === 4 ? [r.action.table] : []));
  // The local table follows from the addresses, the default table is empty on nearly every machine.
  const open = [...new Set([254, ...wanted])].filter((t) => t !== 255 && t !== 253 && !shown.has(t));
  if (open.length === 0) return undefined;
  const names = open.map((t) => (t === 254 ? "main" : String(t))).join(", ");
  return { what: "routes", why: `route table ${names} was not given whole`, command: "ip route show table all" };
};

const addresses: Need = (view) =>
  facts(view, "devices").some((f) => f.extent === "whole" && f.shows.includes("ipv4") && f.shows.includes("link"))
    ? undefined
    : {
        what: "devices and addresses",
        why: "which addresses are the node's own is derived from routes alone",
        command: "ip -d addr",
      };

const sysctls: Need = (view) => {
  const keys = new Set(facts(view, "sysctls").flatMap((f) => f.entries.map((e) => e.key)));
  const wanted = ["net.ipv4.ip_forward", "net.ipv4.conf.all.rp_filter"].filter((k) => !keys.has(k));
  if (wanted.length === 0) return undefined;
  return {
    what: "kernel settings",
    why: `${wanted.join(" and ")} ${wanted.length === 1 ? "is" : "are"} not known`,
    command: "sysctl -a",
  };
};

const kernel: Need = (view) =>
  facts(view, "machine").some((f) => f.machine.kernel !== undefined)
    ? undefined
    : { what: "kernel version", why: "kernels differ in what they do", command: "uname -a" };

const NEEDS: readonly Need[] = [iptables, ipset, ipvs, rules, routes, addresses, sysctls, kernel];

/** What each node's dumps leave open. A machine of which only captures or logs were given is no node to be walked. */
export function missingOf(dumps: readonly Dump[], allRules: ReadonlySet<string>): readonly Missing[] {
  const own = viewsOf(dumps).filter((v) => v.own);
  const read = own.filter((v) => v.dumps.some(isRead));
  const nodes = [...new Set((read.length > 0 ? read : own).map((v) => v.node))];
  const unnamed = nodes.length > 1 ? dumps.filter((d) => d.node.by === "default" && !d.cluster && isRead(d)) : [];
  const attributions = unnamed.slice(0, 5).map((d) => ({
    node: d.node.value,
    what: "the node of a dump",
    why: `${d.file}:${d.lines[0]}-${d.lines[1]} says nowhere whose it is, and there are several nodes`,
    command: "name it in case.yaml",
  }));
  return [
    ...attributions,
    ...nodes.flatMap((node) => {
      // A dump that may be of any of several nodes makes no node of its own.
      if (nodes.length > 1 && dumps.every((d) => d.node.value !== node || d.node.by === "default")) return [];
      const view: StackView = {
        node,
        stack: node,
        own: true,
        dumps: own.filter((v) => v.node === node).flatMap((v) => v.dumps),
      };
      return NEEDS.filter((need) => need !== iptables || !allRules.has(node)).flatMap((need) => {
        const missing = need(view);
        return missing === undefined ? [] : [{ node, ...missing }];
      });
    }),
  ];
}

/** What a machine is made of, as against what was seen on it. */
const STATE: ReadonlySet<string> = new Set<Facts["kind"]>([
  "iptables",
  "ipset",
  "ipvs",
  "routing-rules",
  "routes",
  "devices",
  "neighbours",
  "fdb",
  "bridge-vlans",
  "sysctls",
]);
const isRead = (dump: Dump): boolean => dump.reading.facts.some((f) => STATE.has(f.kind));
