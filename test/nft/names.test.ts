import { decisionText, say } from "@hairpin/core/messages/index.ts";
import { legsOf, resolveQuestion, trace } from "@hairpin/core/trace/index.ts";
import { assembled } from "@hairpin/testing/case.ts";
import { expect, test } from "vitest";

const ADDRESSES = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    inet 10.2.0.1/24 scope global eth0
`;
/** kube-proxy's shape, with a chain more that is nobody's. */
const RULES = `table ip kube-proxy {
	map service-ips {
		type ipv4_addr . inet_proto . inet_service : verdict
		elements = { 10.96.0.7 . tcp . 80 : goto service-AAAAAAAA-shop/db/tcp/sql }
	}
	chain nat-output {
		type nat hook output priority -100; policy accept;
		jump services
	}
	chain services {
		ip daddr . meta l4proto . th dport vmap @service-ips
	}
	chain service-AAAAAAAA-shop/db/tcp/sql {
		numgen random mod 2 vmap { 0 : goto endpoint-BBBBBBBB-shop/db/tcp/sql__10.2.0.8/5432, 1 : goto endpoint-CCCCCCCC-shop/db/tcp/sql__10.2.0.9/5432 }
	}
	chain endpoint-BBBBBBBB-shop/db/tcp/sql__10.2.0.8/5432 {
		dnat to 10.2.0.8:5432
	}
	chain endpoint-CCCCCCCC-shop/db/tcp/sql__10.2.0.9/5432 {
		dnat to 10.2.0.9:5432
	}
}
`;

test("a step says whose chain a map leads to, and which endpoint it is", () => {
  const { world } = assembled({
    "ip-addr.txt": ADDRESSES,
    "ip-route.txt": "10.2.0.0/24 dev eth0 scope link src 10.2.0.1\ndefault via 10.2.0.254 dev eth0\n",
    "nft-list-ruleset.txt": RULES,
  });
  const resolved = resolveQuestion(world, { from: "node/node", to: "10.96.0.7:80", proto: "tcp" });
  if (resolved.ok !== true) throw new Error("no question");
  const said = trace(resolved.world, resolved.question).branches.flatMap((b) =>
    legsOf(b).flatMap((leg) => leg.steps.flatMap((s) => (s.kind === "rule" ? [say(decisionText(s.decision))] : []))),
  );
  expect([...new Set(said.filter((s) => /^(?:goto|jump)/.test(s)))].sort()).toEqual([
    "goto endpoint-BBBBBBBB-shop/db/tcp/sql__10.2.0.8/5432 (endpoint 1 of svc shop/db:sql)",
    "goto endpoint-CCCCCCCC-shop/db/tcp/sql__10.2.0.9/5432 (endpoint 2 of svc shop/db:sql)",
    "goto service-AAAAAAAA-shop/db/tcp/sql (svc shop/db:sql)",
    "jump to services",
  ]);
});
