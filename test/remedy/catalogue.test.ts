import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CAUSES } from "@hairpin/core/explain/index.ts";
import { en } from "@hairpin/core/messages/en/index.ts";
import { REMEDIES } from "@hairpin/core/remedy/index.ts";
import { expect, test } from "vitest";

/** Causes that no change of a node, a Service or the network between them takes away, and why. */
const NO_FIX: Readonly<Record<string, string>> = {
  NO_ENDPOINTS: "a pod must become ready, or the selector be right: nothing the datapath has",
  NO_LISTENER: "a process must listen",
  IPVS_LOCALHOST_NODEPORT: "another address must be called",
  NEIGHBOUR_FAILED: "a machine, a cable or a VLAN is missing",
  L2_PATH: "a port or a VLAN is missing",
  DUPLICATE_VTEP_MAC: "every node must know the new MAC: the plug-in has to make it",
  WRONG_UNDERLAY_INTERFACE: "the plug-in chooses the card, and tells the others",
  TUNNEL_MISMATCH: "both ends must agree, and which of them is right is not known",
  NODEPORT_ADDRESSES: "another address must be called, or kube-proxy be told to serve this one",
  NODEPORT_SHADOWS_HOST_PORT: "one of the two must have another port",
  CONNTRACK_INSERT_RACE: "a matter of time that no patch of the World shows",
  MTU_BLACKHOLE: "not modelled: a smaller MTU changes what senders make, not the packet that was asked",
};

const codes = [...new Set(CAUSES.flatMap((c) => c.codes))];
const cured = new Set(REMEDIES.flatMap((r) => r.cures));

test("every cause that a walk shows has a fix, or it is said why not", () => {
  expect(codes.filter((code) => !cured.has(code) && NO_FIX[code] === undefined)).toEqual([]);
  expect(Object.keys(NO_FIX).filter((code) => cured.has(code))).toEqual([]);
});

test("every fix has a code of its own, a summary and a place in the documentation", () => {
  const ids = Object.keys(en);
  const all = REMEDIES.map((r) => r.code);
  expect(new Set(all).size).toBe(all.length);
  expect(all.filter((code) => !ids.includes(`fix.${code.toLowerCase()}`))).toEqual([]);
  const docs = readFileSync(fileURLToPath(new URL("../../docs/fixes.md", import.meta.url)), "utf8");
  expect(all.filter((code) => !docs.includes(`\`${code}\``))).toEqual([]);
});

test("one file a fix", () => {
  const folder = fileURLToPath(new URL("../../packages/core/src/remedy/fixes/", import.meta.url));
  expect(readdirSync(folder).length).toBe(REMEDIES.length);
});
