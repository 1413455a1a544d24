import { expect, test } from "vitest";
import { inNamespace } from "./in-namespace.ts";

test.each([
  ["pod/web", "pod/shop/web"],
  ["po/web", "pod/shop/web"],
  ["service/db:5432", "svc/shop/db:5432"],
  ["svc/other/db:5432", "svc/other/db:5432"],
  ["node/n1", "node/n1"],
  ["no/n1", "node/n1"],
  ["10.0.0.1:80", "10.0.0.1:80"],
  ["external", "external"],
  ["http://web.shop.svc/x", "http://web.shop.svc/x"],
  ["web", "web"],
])("%s in shop is %s", (typed, asked) => {
  expect(inNamespace(typed, "shop")).toBe(asked);
});
