import { formatVersion, type KubernetesVersion } from "../../kubernetes/index.ts";
import { text } from "../../messages/index.ts";
import {
  type IptablesTable,
  isKubeName,
  KUBE_IPVS0,
  type Origin,
  type ProxyChain,
  proxyChain,
} from "../../model/index.ts";
import type { Actual } from "./actual.ts";
import type { Draft } from "./draft.ts";

type Roles = ReadonlySet<ProxyChain | undefined>;
const PER_SERVICE: readonly ProxyChain[] = [
  "service",
  "endpoint",
  "local",
  "external",
  "source-ranges",
  "local-before-1.24",
];
const SERVING: Roles = new Set<ProxyChain>(["services", "node-ports", "node-port", ...PER_SERVICE]);
const OF_IPTABLES: Roles = new Set(PER_SERVICE);
const OF_IPVS: Roles = new Set<ProxyChain>([
  "node-port",
  "load-balancer",
  "source-ranges-firewall",
  "ipvs-filter",
  "ipvs-out-filter",
]);

const chainsFor = (tables: readonly IptablesTable[], roles: Roles) =>
  tables.flatMap((t) => t.chains.filter((c) => roles.has(proxyChain(c.name)) && c.rules.length > 0));

/** What the other mode left behind and still takes packets. */
export function modeLeftovers(mode: string, actual: Actual, expectedSets: ReadonlySet<string>): readonly Draft[] {
  const drafts: Draft[] = [];
  const leftover = (what: string, other: string, origins: readonly Origin[]): void => {
    if (origins.length === 0) return;
    drafts.push({
      key: `leftover ${what}`,
      code: "LEFTOVER_OF_MODE",
      text: text("difference.leftover-of-mode", { what, mode: other, now: mode }),
      expected: [],
      actual: origins.slice(0, 4),
    });
  };
  if (mode !== "nftables")
    leftover(
      actual.nft.map((t) => `table ${t.family} ${t.name}`).join(", "),
      "nftables",
      actual.nft.map((t) => t.origin),
    );
  if (mode === "iptables" || mode === "nftables") {
    leftover(
      KUBE_IPVS0,
      "ipvs",
      actual.devices.filter((d) => d.name === KUBE_IPVS0).map((d) => d.origin),
    );
    const servers = actual.servers?.items ?? [];
    leftover(
      `${servers.length} virtual servers`,
      "ipvs",
      servers.map((s) => s.origin),
    );
    const sets = (actual.sets?.items ?? []).filter((s) => isKubeName(s.name) && !expectedSets.has(s.name));
    leftover(
      `sets ${sets
        .slice(0, 3)
        .map((s) => s.name)
        .join(", ")}`,
      "ipvs",
      sets.map((s) => s.origin),
    );
    const chains = chainsFor(actual.tables, OF_IPVS);
    leftover(
      "its chains",
      "ipvs",
      chains.map((c) => c.origin),
    );
  }
  if (mode !== "iptables") {
    const chains = chainsFor(actual.tables, OF_IPTABLES);
    leftover(
      `${chains.length} chains of Services and endpoints`,
      "iptables",
      chains.map((c) => c.origin),
    );
  }
  return drafts;
}

/** Two back ends that both hold kube-proxy's chains: the one with fewer of them is what was left. */
export function backendLeftovers(tables: readonly IptablesTable[]): {
  readonly drafts: readonly Draft[];
  readonly used: readonly IptablesTable[];
} {
  const of = (backend: IptablesTable["backend"]) => tables.filter((t) => t.backend === backend);
  const [legacy, nft] = [of("legacy"), of("nft")];
  const [inLegacy, inNft] = [chainsFor(legacy, SERVING), chainsFor(nft, SERVING)];
  if (inLegacy.length === 0 || inNft.length === 0) {
    const without =
      inLegacy.length === 0 && legacy.length > 0 && nft.length > 0
        ? legacy
        : inNft.length === 0 && nft.length > 0 && legacy.length > 0
          ? nft
          : [];
    return { drafts: [], used: tables.filter((t) => !without.includes(t)) };
  }
  const old = inLegacy.length > inNft.length ? "nft" : "legacy";
  const chains = old === "nft" ? inNft : inLegacy;
  return {
    used: tables.filter((t) => t.backend !== old),
    drafts: [
      {
        key: "backend",
        code: "LEFTOVER_OF_BACKEND",
        text: text("difference.leftover-of-backend", { backend: `iptables-${old}` }),
        expected: [],
        actual: chains.slice(0, 4).map((c) => c.origin),
      },
    ],
  };
}

/** Chains that only some releases have. */
const FAMILIES: readonly { readonly roles: Roles; readonly from: number; readonly until: number }[] = [
  { roles: new Set<ProxyChain>(["local-before-1.24"]), from: 0, until: 23 },
  { roles: new Set<ProxyChain>(["external", "local"]), from: 24, until: 99 },
];

/** A release whose chains are laid out otherwise wrote them: then each rule would differ, and one word says more. */
export function foreignVersion(tables: readonly IptablesTable[], version: KubernetesVersion): readonly Draft[] {
  const foreign = FAMILIES.filter((f) => version.minor < f.from || version.minor > f.until);
  const chains = foreign.flatMap((f) => chainsFor(tables, f.roles));
  if (chains.length === 0) return [];
  return [
    {
      key: "version",
      code: "FOREIGN_VERSION",
      text: text("difference.foreign-version", {
        version: formatVersion(version),
        chains: chains.slice(0, 3).map((c) => c.name),
      }),
      expected: [],
      actual: chains.slice(0, 4).map((c) => c.origin),
    },
  ];
}
