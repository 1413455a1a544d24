import { readdirSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable, diagnose } from "../../packages/core/src/diagnose/index.ts";
import { haveReference, referenceJson, referencePath } from "../reference.ts";

interface Expected {
  readonly cause: string;
  readonly cause_secondary: string | null;
  readonly must_not_claim: readonly string[];
}

const CONTROLS: ReadonlySet<string> = new Set(["UNKNOWN", "NO_FAULT_COSMETIC"]);

/** Codes that say what a phrase under `must_not_claim` forbids. */
const FORBIDDEN: readonly (readonly [RegExp, readonly string[]])[] = [
  [/rp_filter/, ["RP_FILTER_STRICT"]],
  [/FORWARD (?:DROP|policy)/, ["FORWARD_POLICY_DROP"]],
  [/security group/, ["UNDERLAY_FILTER"]],
  [/MTU/, ["MTU_BLACKHOLE"]],
  [/no (?:local )?endpoints|missing endpoint/, ["NO_ENDPOINTS", "ETP_LOCAL_NO_ENDPOINT_IPVS"]],
  [/checksum bug/, ["VXLAN_TX_CSUM_OFFLOAD"]],
  [/MASQUERADE/, ["MASQ_MISSING_NODE_TO_POD", "MASQ_MISSING_IPVS_HOST", "MASQ_MISSING_REMOTE_ENDPOINT"]],
  [/NetworkPolicy/, ["NETWORK_POLICY_DROP"]],
  [/conntrack table full/, ["CONNTRACK_FULL"]],
  [/pod not listening/, ["NO_LISTENER"]],
  [/iptables drop/, ["RULE_DROP"]],
  [/hairpin mode/, ["HAIRPIN_OFF"]],
  [/bridge-nf-call-iptables/, ["BRIDGE_NF_OFF"]],
  [/REJECT/, ["RULE_ORDER_REJECT", "RULE_DROP"]],
  [/legacy iptables conflict/, ["LEGACY_NFT_CONFLICT"]],
  [/KUBE-MARK-DROP was hit/, ["ETP_LOCAL_NO_ENDPOINT_IPTABLES"]],
  [/route_localnet/, ["ROUTE_LOCALNET"]],
  [/is a wrong route/, ["WRONG_POD_ROUTE", "NO_ROUTE"]],
];

const forbiddenBy = (phrases: readonly string[], right: readonly (string | null)[]): readonly string[] =>
  phrases
    .flatMap((p) => FORBIDDEN.flatMap(([pattern, codes]) => (pattern.test(p) ? codes : [])))
    .filter((c) => !right.includes(c));

describe.skipIf(!haveReference)("published incidents", () => {
  const folders = haveReference ? readdirSync(referencePath("incidents")).filter((n) => /^\d/.test(n)) : [];
  const table: string[] = [];

  test.each(folders)("%s", (name) => {
    const question = referenceJson<Record<string, string>>("incidents", name, "question.json");
    const expected = referenceJson<Expected>("incidents", name, "expected.json");
    const askable = new Askable(loadCase([referencePath("incidents", name, "dumps")]), []);
    const { judgement, causes } = diagnose(askable, question);
    const right = [expected.cause, expected.cause_secondary];
    const shown = causes.map((c) => `${c.code} (${c.certainty})`).join(", ") || "none";
    table.push(`${name.slice(0, 2)} | ${right.filter((c) => c !== null).join(", ")} | ${judgement.verdict} | ${shown}`);
    expect(causes.filter((c) => c.certainty === "proven" && !right.includes(c.code))).toEqual([]);
    const forbidden = forbiddenBy(expected.must_not_claim, right);
    expect(causes.filter((c) => forbidden.includes(c.code)).map((c) => c.code)).toEqual([]);
    if (CONTROLS.has(expected.cause)) expect(causes.filter((c) => c.certainty !== "possible")).toEqual([]);
    else {
      expect(judgement.verdict).not.toBe("reachable");
      expect(causes.slice(0, 2).map((c) => c.code)).toSatisfy((codes: string[]) =>
        codes.some((c) => right.includes(c)),
      );
    }
  });

  afterAll(() => console.log(["incident | confirmed | verdict | causes", ...table].join("\n")));
});
