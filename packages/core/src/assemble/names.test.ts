import { ADDRESSES, nat, ROUTES } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";
import { faultText, say } from "../messages/index.ts";
import { formatAddress } from "../net/index.ts";
import { readCase } from "../parse/index.ts";
import { type QuestionSpec, resolveQuestion } from "../trace/index.ts";
import { assemble } from "./index.ts";

const OBJECTS = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Service
  metadata: {name: cart, namespace: shop}
  spec: {clusterIP: 10.96.0.40, ports: [{port: 80, protocol: TCP}]}
- apiVersion: v1
  kind: Service
  metadata: {name: cart, namespace: stage}
  spec: {clusterIP: 10.96.0.41, ports: [{port: 80, protocol: TCP}]}
- apiVersion: v1
  kind: Service
  metadata: {name: ledger, namespace: shop}
  spec: {clusterIP: 10.96.0.42, ports: [{port: 9000, protocol: TCP}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: ledger-0, namespace: shop}
  spec: {nodeName: a}
  status: {podIP: 10.244.1.8}
`;
const FILES = { "nodes/a/ip-addr.txt": ADDRESSES, "nodes/a/ip-route.txt": ROUTES, "nodes/a/iptables-save.txt": nat() };
const worldOf = (files: Readonly<Record<string, string>>) =>
  assemble(readCase(Object.entries(files).map(([path, text]) => ({ path, text })))).world;
const rules = worldOf(FILES);
const objects = worldOf({ ...FILES, "objects.yaml": OBJECTS });
const two = worldOf({ ...FILES, "nodes/web-2/ip-addr.txt": ADDRESSES.replaceAll("10.0.0.1/24", "10.0.0.2/24") });

const ask = (world: typeof rules, spec: QuestionSpec): string => {
  const resolved = resolveQuestion(world, { from: "node/a", ...spec });
  if (resolved.ok === false) return say(faultText(resolved.error));
  if (resolved.ok === "unsupported") return "unsupported";
  const { client, to, port } = resolved.question;
  return `${client} → ${formatAddress(to)}:${port}`;
};

describe("a Service that only the comments of rules name", () => {
  test.each([
    "svc/default/web:80",
    "svc/default/web",
    "default/web",
    "web",
    "web:80",
    "web.default.svc.cluster.local:80",
    "http://web.default/health",
  ])("%s", (to) => expect(ask(rules, { to })).toBe("a → 10.96.0.20:80"));
  test("a port that it has not is asked all the same", () => {
    expect(ask(rules, { to: "svc/default/web:8080" })).toBe("a → 10.96.0.20:8080");
  });
  test("a near miss is proposed", () => {
    expect(ask(rules, { to: "svc/default/wbe:80" })).toContain("did you mean default/web?");
    expect(ask(rules, { to: "wbe:80" })).toBe("--to wbe: nobody is called that; did you mean svc/default/web?");
  });
});

describe("names of objects", () => {
  test.each<[QuestionSpec, string]>([
    [{ to: "ledger" }, "a → 10.96.0.42:9000"],
    [{ to: "ledger.shop:9000" }, "a → 10.96.0.42:9000"],
    [{ to: "shop/cart" }, "a → 10.96.0.40:80"],
    [{ to: "https://10.96.0.42/x" }, "a → 10.96.0.42:443"],
    [{ to: "http://ledger.shop.svc:9000/" }, "a → 10.96.0.42:9000"],
    [{ to: "ledger-0:9000" }, "a → 10.244.1.8:9000"],
    [{ to: "pod/ledger-0:9000" }, "a → 10.244.1.8:9000"],
    [{ to: "cart:80" }, "--to cart: several are called that: svc/shop/cart, svc/stage/cart; say which"],
  ])("%o", (spec, expected) => expect(ask(objects, spec)).toBe(expected));
});

describe("nodes", () => {
  test.each<[string, string]>([
    ["node/a", "a"],
    ["a", "a"],
    ["node/10.0.0.1", "a"],
    ["node/called-otherwise", "a"],
  ])("from %s", (from, client) => expect(ask(rules, { from, to: "10.96.0.20:80" })).toBe(`${client} → 10.96.0.20:80`));
  test("with several, an unknown name is not guessed", () => {
    expect(ask(two, { from: "node/web-3", to: "10.96.0.20:80" })).toBe(
      "there is no node web-3 in this case; did you mean web-2?",
    );
    expect(ask(two, { from: "node/10.0.0.2", to: "10.96.0.20:80" })).toBe("web-2 → 10.96.0.20:80");
  });
  test("who could ask is listed", () => {
    const resolved = resolveQuestion(objects, { to: "ledger" });
    expect(resolved.ok === false && say(faultText(resolved.error))).toBe(
      "say who asks: --from pod/shop/ledger-0, node/a, an address, external",
    );
  });
});
