import { expect, test } from "vitest";
import { formatAddress, parseAddress } from "../../../net/index.ts";
import { primaryOf } from "./nodeport-addresses.ts";

test("`primary` is the first address of each family", () => {
  const addresses = ["10.0.0.1", "10.0.0.2", "fd00::1", "fd00::2"].map((a) => parseAddress(a)!);
  expect(primaryOf({ addresses }).map(formatAddress)).toEqual(["10.0.0.1", "fd00::1"]);
  expect(primaryOf({ addresses: [] })).toEqual([]);
});
