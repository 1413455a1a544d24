import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ask, type Files } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";

const ROOT = "cases/dual-stack-firewall";
const CASE = readFileSync(join(ROOT, "case.yaml"), "utf8");
const READ: Files = Object.fromEntries(
  readdirSync(ROOT, { recursive: true, withFileTypes: true })
    .filter((f) => f.isFile() && !/README|case\.yaml/.test(f.name))
    .map((f) => join(f.parentPath, f.name))
    .map((path) => [path.slice(ROOT.length + 1), readFileSync(path, "utf8")]),
);
/** A dual-stack cluster of two nodes with nothing wrong: the firewall of depot-2 taken off. */
const SOUND: Files = { ...READ, "nodes/depot-2/ip6tables-save.txt": READ["nodes/depot-1/ip6tables-save.txt"]! };

type Edit = readonly [file: string, from: string | RegExp, to: string];
const planted = (...edits: readonly Edit[]): Files =>
  edits.reduce<Files>((files, [name, from, to]) => {
    const path = `nodes/${name}`;
    const text = files[path]!.replace(from, to);
    expect(text, `${name} has ${from}`).not.toBe(files[path]);
    return { ...files, [path]: text };
  }, SOUND);

const RULES = "ip6tables-save.txt";
/** Each fault of IPv6 alone, and what it is to be called. */
const FAULTS: readonly (readonly [name: string, files: () => Files, causes: readonly string[]])[] = [
  [
    "the policy of FORWARD",
    () => planted([`depot-2/${RULES}`, /(\*filter\n[\s\S]*?:FORWARD) ACCEPT/, "$1 DROP"]),
    ["FORWARD_POLICY_DROP"],
  ],
  [
    "a rule",
    () => planted([`depot-2/${RULES}`, "-A FORWARD", "-A FORWARD -p tcp -m tcp --dport 8080 -j DROP\n-A FORWARD"]),
    ["RULE_DROP"],
  ],
  [
    "forwarding off",
    () => planted(["depot-1/sysctl.txt", "net.ipv6.conf.all.forwarding = 1", "net.ipv6.conf.all.forwarding = 0"]),
    ["IP_FORWARD_OFF"],
  ],
  [
    "a blackhole",
    () => planted(["depot-1/ip-6-route.txt", /^/, "blackhole fd61:0:0:2::/72 dev lo metric 1024 pref medium\n"]),
    ["BLACKHOLE_ROUTE"],
  ],
  [
    "an unreachable default and no route to the other node's pods",
    () =>
      planted(
        ["depot-1/ip-6-route.txt", /fd61:0:0:2::\/64 via .*\n/, ""],
        [
          "depot-1/ip-6-route.txt",
          /default via .*\n/,
          "unreachable default dev lo metric 4294967295 error -101 pref medium\n",
        ],
      ),
    ["BLACKHOLE_ROUTE"],
  ],
  [
    "no way at all to the other node's pods",
    () =>
      planted(
        ["depot-1/ip-6-route.txt", /fd61:0:0:2::\/64 via .*\n/, ""],
        ["depot-1/ip-6-route.txt", /default via .*\n/, ""],
      ),
    ["NO_ROUTE"],
  ],
  [
    "a default route that router advertisements no longer bring",
    () =>
      planted(
        ["depot-1/ip-6-route.txt", /fd61:0:0:2::\/64 via .*\n/, ""],
        ["depot-1/ip-6-route.txt", /default via .*\n/, ""],
        ["depot-1/sysctl.txt", "eth0.accept_ra = 0", "eth0.accept_ra = 1"],
      ),
    ["RA_IGNORED_FORWARDING", "NO_ROUTE"],
  ],
  [
    "solicitations dropped",
    () =>
      planted([`depot-2/${RULES}`, "-A INPUT", "-A INPUT -p ipv6-icmp -m icmp6 --icmpv6-type 135 -j DROP\n-A INPUT"]),
    ["NEIGHBOUR_DISCOVERY_FILTERED"],
  ],
  [
    "an address that failed its detection",
    () =>
      planted([
        "depot-2/ip-addr.txt",
        "inet6 fd60::12/64 scope global",
        "inet6 fd60::12/64 scope global dadfailed tentative",
      ]),
    ["DAD_FAILED"],
  ],
  [
    "IPv6 switched off on a card",
    () => planted(["depot-2/sysctl.txt", "net.ipv6.conf.eth0.disable_ipv6 = 0", "net.ipv6.conf.eth0.disable_ipv6 = 1"]),
    ["IPV6_DISABLED"],
  ],
  [
    "an endpoint that is no more",
    () => planted([`depot-1/${RULES}`, /\[fd61:0:0:2::7\]:8080$/m, "[fd61:0:0:2::77]:8080"]),
    ["STALE_ENDPOINT"],
  ],
  [
    "a Service that was not programmed",
    () => planted([`depot-1/${RULES}`, /-A KUBE-SERVICES -d fd96::4009.*\n/, ""]),
    // The address goes out by the default route, and nobody on the described link is that router.
    ["SERVICE_NOT_PROGRAMMED_HERE", "NEIGHBOUR_FAILED"],
  ],
];

const asked = (files: Files, family: 4 | 6) =>
  ask(files, { from: "pod/depot/orders-0", to: "svc/depot/stock:http", proto: "tcp", family }, CASE);

describe("faults that are planted in IPv6 alone", () => {
  test("none: both families work", () => {
    expect([4, 6].map((f) => asked(SOUND, f as 4 | 6).verdict)).toEqual(["reachable", "reachable"]);
  });

  test.each(FAULTS)("%s", (_, files, causes) => {
    const dumps = files();
    const { verdict, codes } = asked(dumps, 6);
    expect(verdict).not.toBe("reachable");
    expect(codes).toEqual(causes);
    const four = asked(dumps, 4);
    expect([four.verdict, four.codes]).toEqual(["reachable", []]);
  });
});
