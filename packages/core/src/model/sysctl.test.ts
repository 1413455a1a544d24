import { describe, expect, test } from "vitest";
import { assumed, confKey, effectiveConf, IPV4_CONF_COMBINATION, type SysctlEntry } from "./index.ts";

const sysctls = (values: Readonly<Record<string, string>>): ReadonlyMap<string, SysctlEntry> =>
  new Map(Object.entries(values).map(([key, value]) => [key, { key, value, origin: assumed("test") }]));
const all = "net.ipv4.conf.all.rp_filter";
const eth0 = "net.ipv4.conf.eth0.rp_filter";

describe("what the kernel goes by", () => {
  test.each([
    [{}, [0, 1, 2], [all, eth0]],
    [{ [all]: "1" }, [1, 2], [eth0]],
    [{ [eth0]: "0" }, [0, 1, 2], [all]],
    [{ [all]: "2" }, [2], []],
    [{ [eth0]: "2" }, [2], []],
    [{ [all]: "0", [eth0]: "1" }, [1], []],
    [{ [all]: "1", [eth0]: "0" }, [1], []],
    [{ [all]: "x", [eth0]: "1" }, [1, 2], [all]],
  ])("rp_filter of %j is one of %j", (known, values, missing) => {
    const answer = effectiveConf(sysctls(known), "rp_filter", "eth0");
    expect([answer.values, answer.missing]).toEqual([values, missing]);
    expect(answer.origins.length).toBe(Object.keys(known).length);
  });
  test("or, and, and the interface's own", () => {
    const one = (name: string, a: string | undefined, own: string | undefined) =>
      effectiveConf(
        sysctls({
          ...(a === undefined ? {} : { [confKey(name, "all")]: a }),
          ...(own === undefined ? {} : { [confKey(name, "eth0")]: own }),
        }),
        name,
        "eth0",
      ).values;
    expect(one("accept_local", "0", "1")).toEqual([1]);
    expect(one("accept_local", "1", undefined)).toEqual([1]);
    expect(one("accept_local", "0", undefined)).toEqual([0, 1]);
    expect(one("accept_source_route", "0", undefined)).toEqual([0]);
    expect(one("accept_source_route", "1", "0")).toEqual([0]);
    expect(one("forwarding", "1", "0")).toEqual([0]);
    expect(one("forwarding", "1", undefined)).toEqual([0, 1]);
  });
  test("ip_forward is conf.all.forwarding by another name", () => {
    const known = sysctls({ "net.ipv4.ip_forward": "1" });
    expect(effectiveConf(known, "forwarding", "all").values).toEqual([1]);
  });
  test("an interface's dots are slashes in a key", () => {
    expect(confKey("rp_filter", "eth0.100")).toBe("net.ipv4.conf.eth0/100.rp_filter");
    const known = sysctls({ "net.ipv4.conf.eth0/100.rp_filter": "2" });
    expect(effectiveConf(known, "rp_filter", "eth0.100").values).toEqual([2]);
  });
  test("every rule of combination is one the kernel has", () => {
    expect(new Set(Object.values(IPV4_CONF_COMBINATION))).toEqual(new Set(["max", "or", "and", "interface-only"]));
  });
});
