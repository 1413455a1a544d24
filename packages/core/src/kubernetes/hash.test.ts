import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { chainHash, sha256 } from "./hash.ts";

test("names of chains are those that kube-proxy gives", () => {
  expect(chainHash("ns1/svc1:p80tcp")).toBe("XPGD46QRK7WJZT7O");
  expect(chainHash("ns1/svc1:p80tcp10.180.0.1:80")).toBe("SXIVWICOYRO3J4NJ");
  // The two chains of every cluster: default/kubernetes:https and kube-system/kube-dns:dns.
  expect(chainHash("default/kubernetes:httpstcp")).toBe("NPX46M4PTMTKRN6Y");
  expect(chainHash("kube-system/kube-dns:dnsudp")).toBe("TCOU7JCQXEZGVUNU");
});

test("every length agrees with the platform's SHA-256", () => {
  for (let n = 0; n < 200; n++) {
    const bytes = Uint8Array.from({ length: n }, (_, i) => (i * 31 + n) & 255);
    const theirs = createHash("sha256").update(bytes).digest("hex");
    expect(Buffer.from(sha256(bytes)).toString("hex")).toBe(theirs);
  }
});

test("names beyond ASCII are hashed as UTF-8", () => {
  const text = "ä/服務:𝄞tcp";
  const hash = createHash("sha256").update(text, "utf8").digest();
  const bits = [...hash].map((b) => b.toString(2).padStart(8, "0")).join("");
  const expected = bits
    .slice(0, 80)
    .match(/.{5}/g)!
    .map((b) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[Number.parseInt(b, 2)])
    .join("");
  expect(chainHash(text)).toBe(expected);
});
