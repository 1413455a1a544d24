import { expect, test } from "vitest";
import { parseAddress } from "../../net/index.ts";
import { madeDevice } from "./made-device.ts";

const called = (text: string): string => madeDevice("port", parseAddress(text)!);

test("a device that is made up has a name that a kernel takes", () => {
  expect(called("10.1.0.3")).toBe("port-10.1.0.3");
  expect(called("10.128.0.1")).toBe("port-10.128.0.1");
  expect(called("10.128.0.11")).toBe("port-0a80000b");
  expect(called("255.255.255.255")).toBe("port-ffffffff");
  expect(called("10.128.0.11")).not.toBe(called("10.128.0.12"));
  for (const text of ["::1", "fd00:10:244:1::5", "fd00:10:244:2::5"])
    expect(called(text)).toMatch(/^port-[0-9a-f]{8}$/);
  expect(called("fd00:10:244:1::5")).not.toBe(called("fd00:10:244:2::5"));
});
