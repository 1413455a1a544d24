import { text } from "../messages/index.ts";
import { isProxySet, KUBE_IPVS0 } from "../model/index.ts";
import type { Dump } from "../parse/case/dump.ts";
import type { Facts } from "../parse/facts.ts";
import { setsNamedBy } from "./contradictions/missing-set.ts";
import { missingSix, servesSix } from "./missing-six.ts";
import type { Missing } from "./report.ts";
import { devicesOf, facts, rulesOf, type StackView, setsOf, tablesOf, viewsOf } from "./view.ts";

type Need = (view: StackView) => Omit<Missing, "node"> | undefined;

const iptables: Need = (view) => {
  const tables = tablesOf(view);
  const whole = new Set(tables.filter((t) => t.extent === "whole" && t.family === 4).map((t) => t.name));
  if (whole.has("nat") && whole.has("filter")) return undefined;
  const why =
    tables.length === 0
      ? text("missing.iptables-none")
      : whole.size === 0
        ? text("missing.iptables-parts")
        : text("missing.iptables-some", { tables: [...whole] });
  return { what: text("missing.iptables"), why, command: "iptables-save -c" };
};

const ipset: Need = (view) => {
  const named = new Set(tablesOf(view).flatMap((t) => t.chains.flatMap((c) => c.rules.flatMap(setsNamedBy))));
  if (named.size === 0 || facts(view, "ipset").some((f) => f.extent === "whole")) return undefined;
  const whole = new Set(setsOf(view).flatMap((s) => (s.extent === "whole" ? [s.name] : [])));
  const open = [...named].filter((name) => !whole.has(name));
  if (open.length === 0) return undefined;
  const sets = open.length > 4 ? text("missing.and-more", { names: open.slice(0, 4), count: open.length - 4 }) : open;
  return { what: text("missing.sets"), why: text("missing.sets-why", { sets }), command: "ipset list" };
};

const ipvs: Need = (view) => {
  if (facts(view, "ipvs").some((f) => f.extent === "whole")) return undefined;
  const device = devicesOf(view).some((d) => d.name === KUBE_IPVS0);
  const named = tablesOf(view).some((t) =>
    t.chains.some((c) => c.rules.some((r) => setsNamedBy(r).some((s) => isProxySet(s)))),
  );
  if (!device && !named && facts(view, "ipvs").length === 0) return undefined;
  const why = device ? text("missing.ipvs-device") : named ? text("missing.ipvs-sets") : text("missing.ipvs-part");
  return { what: text("missing.ipvs"), why, command: "ipvsadm -ln" };
};

const rules: Need = (view) =>
  facts(view, "routing-rules").some((f) => f.extent === "whole" && f.family === 4)
    ? undefined
    : { what: text("missing.rules"), why: text("missing.rules-why"), command: "ip rule" };

const routes: Need = (view) => {
  const listings = facts(view, "routes").filter((f) => f.family === 4 && f.extent === "whole");
  if (listings.some((f) => f.tables === "all")) return undefined;
  const shown = new Set(listings.flatMap((f) => (f.tables === "all" ? [] : f.tables)));
  const wanted = rulesOf(view).flatMap((r) => (r.action.kind === "lookup" && r.family === 4 ? [r.action.table] : []));
  // The local table follows from the addresses, the default table is empty on nearly every machine.
  const open = [...new Set([254, ...wanted])].filter((t) => t !== 255 && t !== 253 && !shown.has(t));
  if (open.length === 0) return undefined;
  const tables = open.map((t) => (t === 254 ? "main" : String(t)));
  return {
    what: text("missing.routes"),
    why: text("missing.routes-why", { tables }),
    command: "ip route show table all",
  };
};

const addresses: Need = (view) =>
  facts(view, "devices").some((f) => f.extent === "whole" && f.shows.includes("ipv4") && f.shows.includes("link"))
    ? undefined
    : {
        what: text("missing.addresses"),
        why: text("missing.addresses-why"),
        command: "ip -d addr",
      };

const sysctls: Need = (view) => {
  const keys = new Set(facts(view, "sysctls").flatMap((f) => f.entries.map((e) => e.key)));
  const wanted = ["net.ipv4.ip_forward", "net.ipv4.conf.all.rp_filter"].filter((k) => !keys.has(k));
  const [key, other] = wanted;
  if (key === undefined) return undefined;
  return {
    what: text("missing.sysctls"),
    why: other === undefined ? text("missing.sysctls-why", { key }) : text("missing.sysctls-both", { key, other }),
    command: "sysctl -a",
  };
};

const kernel: Need = (view) =>
  facts(view, "machine").some((f) => f.machine.kernel !== undefined)
    ? undefined
    : { what: text("missing.kernel"), why: text("missing.kernel-why"), command: "uname -a" };

const NEEDS: readonly Need[] = [iptables, ipset, ipvs, rules, routes, addresses, sysctls, kernel];

/** What each node's dumps leave open. A machine of which only captures or logs were given is no node to be walked. */
export function missingOf(dumps: readonly Dump[], allRules: ReadonlySet<string>): readonly Missing[] {
  const own = viewsOf(dumps).filter((v) => v.own);
  const read = own.filter((v) => v.dumps.some(isRead));
  const nodes = [...new Set((read.length > 0 ? read : own).map((v) => v.node))];
  const unnamed = nodes.length > 1 ? dumps.filter((d) => d.node.by === "default" && !d.cluster && isRead(d)) : [];
  const served = servesSix(dumps);
  const attributions = unnamed.slice(0, 5).map((d) => ({
    node: d.node.value,
    what: text("missing.node"),
    why: text("missing.node-why", { where: `${d.file}:${d.lines[0]}-${d.lines[1]}` }),
    command: text("missing.node-command"),
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
      const six = missingSix(view, served, allRules.has(node));
      return [
        ...NEEDS.filter((need) => need !== iptables || !allRules.has(node)).flatMap((need) => {
          const missing = need(view);
          return missing === undefined ? [] : [{ node, ...missing }];
        }),
        ...(six === undefined ? [] : [{ node, ...six }]),
      ];
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
