import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { worldOf } from "@hairpin/testing/world.ts";
import { describe, expect, test } from "vitest";
import { compare } from "../../packages/core/src/compare/index.ts";

type Files = Readonly<Record<string, string>>;

const NODE = "cases/dual-stack-firewall/nodes/depot-1";
const FILES: Files = Object.fromEntries(
  readdirSync(NODE)
    .filter((name) => name.endsWith(".txt"))
    .map((name) => [`nodes/n1/${name}`, readFileSync(join(NODE, name), "utf8")]),
);
const changed = (name: string, from: string, to: string): Files => {
  const path = `nodes/n1/${name}`;
  const text = FILES[path]!.replace(from, to);
  expect(text).not.toBe(FILES[path]);
  return { ...FILES, [path]: text };
};
const without = (name: string): Files =>
  Object.fromEntries(Object.entries(FILES).filter(([path]) => !path.endsWith(name)));

function diff(a: Files, b: Files) {
  const [x, y] = [{ world: worldOf(a) }, { world: worldOf(b) }];
  const { differences, undecided, meaningless, notShown } = compare(x, y, [{ a: "n1", b: "n1" }], { sameNode: true });
  return {
    differences: differences.map((d) => ({
      where: d.elements.map((e) => e.where),
      to: d.example.a.to,
      sees: [d.example.ends.a, d.example.ends.b].map((ends) => ends.map((e) => e.clientSees)),
    })),
    undecided: undecided.map((u) => `${u.element.where}: ${u.why}`),
    meaningless: meaningless.map((m) => m.element.where),
    notShown: notShown.map((n) => `${n.side} ${n.where}`),
  };
}
const isIpv6 = (to = ""): boolean => to.startsWith("[") || to.split(":").length > 2;

describe("what differs in IPv6 is tried by IPv6 packets", () => {
  test("nothing, where nothing does", () => {
    expect(diff(FILES, FILES)).toEqual({ differences: [], undecided: [], meaningless: [], notShown: [] });
  });

  test("a policy of ip6tables", () => {
    const { differences, undecided } = diff(FILES, changed("ip6tables-save.txt", ":FORWARD ACCEPT", ":FORWARD DROP"));
    expect(undecided).toEqual([]);
    expect(differences.map((d) => d.where)).toEqual([["IPv6 mangle FORWARD"]]);
    expect(isIpv6(differences[0]!.to)).toBe(true);
  });

  test("a Service's endpoint", () => {
    const moved = changed(
      "ip6tables-save.txt",
      "DNAT --to-destination [fd61:0:0:2::7]:8080",
      "DNAT --to-destination [fd61:0:0:2::8]:8080",
    );
    const { differences } = diff(FILES, moved);
    expect(differences.map((d) => d.to)).toEqual(["[fd96::4009]:80"]);
  });

  test("a rule that IPv6 packets alone meet, and one that nobody of the cast does", () => {
    const drop = (of: string) => changed("ip6tables-save.txt", "-A INPUT", `-A INPUT ${of} -j DROP\n-A INPUT`);
    expect(diff(FILES, drop("-p tcp -m tcp --dport 22")).differences.map((d) => d.where)).toEqual([
      ["IPv6 filter INPUT"],
    ]);
  });

  test("a route, and the way out", () => {
    const gone = changed("ip-6-route.txt", "fd61:0:0:2::/64 via fd60::12 dev eth0 metric 1024 pref medium\n", "");
    expect(diff(FILES, gone).differences.flatMap((d) => d.where)).toEqual(["table main (IPv6)"]);
    const other = changed("ip-6-route.txt", "default via fd60::1 dev eth0", "unreachable default dev lo");
    expect(diff(FILES, other).differences.flatMap((d) => d.where)).toContain("table main (IPv6)");
  });

  test("a setting of IPv6", () => {
    const off = changed("sysctl.txt", "net.ipv6.conf.all.forwarding = 1", "net.ipv6.conf.all.forwarding = 0");
    const { differences } = diff(FILES, off);
    expect(differences.flatMap((d) => d.where)).toEqual(["net.ipv6.conf.all.forwarding"]);
    expect(isIpv6(differences[0]!.to)).toBe(true);
  });

  test("tables of IPv6 that one side does not show are no difference", () => {
    const { differences, notShown } = diff(FILES, without("ip6tables-save.txt"));
    expect(differences).toEqual([]);
    expect(notShown).toContain("B IPv6 filter");
  });

  test("a change of IPv4 is still tried by IPv4", () => {
    const { differences } = diff(FILES, changed("iptables-save.txt", ":FORWARD ACCEPT", ":FORWARD DROP"));
    expect(differences.map((d) => d.where)).toEqual([["mangle FORWARD"]]);
    expect(isIpv6(differences[0]!.to)).toBe(false);
  });
});
