import { expect, test } from "vitest";
import { readCase } from "../parse/index.ts";
import { check } from "./index.ts";

const NAT =
  "*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\nCOMMIT\n";
const asked = (manifest: string | undefined) => {
  const inputs = [
    { path: "nodes/a/iptables-legacy-save.txt", text: NAT },
    ...(manifest === undefined ? [] : [{ path: "nodes/a/manifest.txt", text: manifest }]),
  ];
  return check(readCase(inputs), inputs).missing.some((m) => m.what.id === "missing.iptables");
};
const OK = "Hairpin bundle of a\nok       nodes/a/iptables-legacy-save.txt  iptables-legacy-save -c\n";

test("a collected bundle without a filter table says that there is none", () => {
  expect(asked(OK)).toBe(false);
  expect(asked(undefined)).toBe(true);
  expect(asked("notes of mine\n")).toBe(true);
  expect(asked(`${OK}failed   nodes/a/iptables-nft-save.txt  iptables-nft-save -c: status 1: no\n`)).toBe(true);
  expect(asked(`${OK}missing  nodes/a/iptables-save.txt  iptables-save: no such tool\n`)).toBe(true);
  expect(asked(`${OK}failed   nodes/a/ip6tables-nft-save.txt  ip6tables-nft-save -c: status 1: no\n`)).toBe(false);
});
