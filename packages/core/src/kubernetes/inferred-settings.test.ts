import { CONFIG, shopInput } from "@hairpin/testing/iptables/shop.ts";
import { describe, expect, test } from "vitest";
import type { Family } from "../net/index.ts";
import {
  fitsInferred,
  inferredSettings,
  inferredVersion,
  NEWEST_MODELLED,
  OLDEST_MODELLED,
  type ProxyConfig,
  programme,
} from "./index.ts";

const releases = Array.from(
  { length: NEWEST_MODELLED.minor - OLDEST_MODELLED.minor + 1 },
  (_, i) => OLDEST_MODELLED.minor + i,
);

function tablesOf(version: string, config: Partial<ProxyConfig> = {}, family: Family = 4) {
  const made = programme(shopInput(version, config));
  if (made.kind !== "programmed") throw new Error(made.mode);
  return made.families.find((f) => f.family === family)!.tables;
}

describe("rules tell the release that wrote them", () => {
  test.each(releases)("1.%i", (minor) => {
    const told = inferredVersion(tablesOf(`1.${minor}.9`))!;
    expect(fitsInferred({ minor, patch: 9 }, told)).toBe(true);
    const also = releases.filter((m) => m >= told.since && m <= told.until);
    const width = minor >= 25 ? 13 : minor <= 19 ? 2 : 1;
    expect(also).toHaveLength(width);
  });

  test("IPv6 tells 1.26 from 1.25", () => {
    const told = (version: string) => inferredVersion(tablesOf(version, {}, 6));
    expect(told("1.25.0")).toMatchObject({ since: 25, until: 25 });
    expect(told("1.26.0")).toMatchObject({ since: 26, until: 37 });
  });

  test.each(releases)("1.%i in IPVS mode", (minor) => {
    const told = inferredVersion(tablesOf(`1.${minor}.9`, { mode: "ipvs" }))!;
    expect(fitsInferred({ minor, patch: 9 }, told)).toBe(true);
    const bounds = [18, 21, 23, 25, 26, 29, 38];
    const next = bounds.find((b) => b > minor)!;
    expect([told.since, told.until]).toEqual([bounds[bounds.indexOf(next) - 1], next - 1]);
  });

  test("nat alone tells as much as it can", () => {
    const nat = (version: string) => inferredVersion(tablesOf(version).filter((t) => t.name === "nat"));
    expect(nat("1.20.0")).toMatchObject({ since: 18, until: 21 });
    expect(nat("1.23.0")).toMatchObject({ since: 22, until: 23 });
    expect(nat("1.24.0")).toMatchObject({ since: 24, until: 24 });
    expect(nat("1.31.0")).toMatchObject({ since: 24, until: 37 });
  });

  test("what an upgrade left behind does not make a release old", () => {
    const now = tablesOf("1.31.0");
    const left = now.map((t) =>
      t.name === "filter"
        ? {
            ...t,
            chains: t.chains.map((c) =>
              c.name === "INPUT"
                ? {
                    ...c,
                    rules: [
                      ...c.rules,
                      {
                        matches: [],
                        target: { kind: "jump", chain: "KUBE-SERVICES", goto: false },
                        origin: c.origin,
                      } as const,
                    ],
                  }
                : c,
            ),
          }
        : t,
    );
    expect(inferredVersion(left)).toMatchObject({ since: 25, until: 37 });
  });

  test("an excerpt proves nothing by what it lacks, only by what it has; no kube-proxy, no release", () => {
    const cut = (version: string) =>
      tablesOf(version).map((t) => ({
        ...t,
        chains: t.chains.map((c) => ({ ...c, extent: "partial" as const })),
      }));
    expect(inferredVersion(cut("1.18.20"))).toMatchObject({ since: 18, until: 21 });
    expect(inferredVersion(cut("1.27.0"))).toMatchObject({ since: 25, until: 37 });
    expect(inferredVersion([])).toBeUndefined();
  });
});

describe("rules tell settings", () => {
  const told = (config: Partial<ProxyConfig>, version = "1.31.0", family: Family = 4) =>
    inferredSettings(tablesOf(version, config, family)).config;

  test.each(["1.20.0", "1.23.0", "1.24.0", "1.37.0"])("all that %s shows of the shop's", (version) => {
    expect(told({}, version)).toEqual({
      masqueradeMark: 0x4000,
      randomFully: true,
      masqueradeAll: false,
      detectLocal: { mode: "ClusterCIDR", clusterCidrs: ["10.244.0.0/16"] },
      nodePortAddresses: [],
      localhostNodePorts: true,
      conntrackTcpBeLiberal: false,
    });
  });

  test.each<Partial<ProxyConfig>>([
    { masqueradeMark: 1 << 20 },
    { masqueradeAll: true },
    { randomFully: false },
    { detectLocal: { mode: "none" } },
    { detectLocal: { mode: "BridgeInterface", bridge: "cni0" } },
    { detectLocal: { mode: "InterfaceNamePrefix", prefix: "cali" } },
    { nodePortAddresses: ["192.0.2.11/32"] },
    { localhostNodePorts: false },
    { conntrackTcpBeLiberal: true },
    { nfacctCounters: ["ct_state_invalid_dropped_pkts", "localhost_nps_accepted_pkts"] },
  ])("%j", (setting) => expect(told(setting)).toMatchObject(setting));

  test.each<Partial<ProxyConfig>>([
    { masqueradeAll: true },
    { detectLocal: { mode: "none" }, masqueradeAll: false },
    { detectLocal: { mode: "ClusterCIDR", clusterCidrs: ["10.244.0.0/16"] }, masqueradeAll: false },
    { masqueradeMark: 1 << 9, randomFully: false },
  ])("in IPVS mode %j", (setting) => {
    expect(told({ mode: "ipvs", ...setting })).toMatchObject(setting);
    expect(told({ mode: "ipvs", ...setting })).not.toHaveProperty("conntrackTcpBeLiberal");
  });

  test("what they tell makes the same rules again", () => {
    const settings: Partial<ProxyConfig> = { masqueradeMark: 1 << 9, localhostNodePorts: false, randomFully: false };
    const first = tablesOf("1.31.0", settings);
    const { nodePortAddresses, ...rest } = { ...CONFIG, ...inferredSettings(first).config };
    expect(tablesOf("1.31.0", { nodePortAddresses, ...rest })).toEqual(first);
  });

  test("nothing of an empty node", () => {
    expect(inferredSettings([]).config).toEqual({});
  });
});
