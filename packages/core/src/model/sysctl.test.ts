import { expect, test } from "vitest";
import { confKey, IPV4_CONF_COMBINATION } from "./index.ts";

test("an interface's dots are slashes in a key", () => {
  expect(confKey("rp_filter", "eth0.100")).toBe("net.ipv4.conf.eth0/100.rp_filter");
});

test("every rule of combination is one the kernel has", () => {
  expect(new Set(Object.values(IPV4_CONF_COMBINATION))).toEqual(new Set(["max", "or", "and", "interface-only"]));
});
