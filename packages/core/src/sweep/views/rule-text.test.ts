import { describe, expect, it } from "vitest";
import { parseAddress } from "../../net/index.ts";
import { Interned } from "./interned.ts";
import { RuleText } from "./rule-text.ts";

const textOf = (text: string): RuleText => new RuleText(text, new Interned(), new Interned());

describe("rules as text", () => {
  it.each([
    ["an IPv4 range", "-A FORWARD -m iprange --src-range 10.0.0.2-10.0.0.9 -j DROP", "10.0.0.5", "10.0.0.10"],
    ["an IPv6 range", "-A FORWARD -m iprange --src-range fd00::2-fd00::1:9 -j DROP", "fd00::ffff", "fd00::1:a"],
    ["an IPv6 range of a set", "ip6 saddr { fd00::2-fd00::9 } drop", "fd00::8", "fd00::a"],
    ["a network", "ip6 saddr fd00::/64 drop", "fd00::8", "fd00:0:0:1::8"],
  ])("%s tells who is in it", (_, rule, inside, outside) => {
    const text = textOf(rule);
    const [a, b] = [inside, outside].map((t) => text.profile(parseAddress(t)!));
    expect(a).not.toBe(b);
    expect(text.unshareable).toBe(false);
  });

  it.each([
    "-A FORWARD -m mac --mac-source 02:00:00:00:00:01 -j DROP",
    "ether saddr 02:00:00:00:00:01 drop",
    "create bad hash:ip,mac family inet hashsize 1024 maxelem 65536",
    "ip saddr & 0.0.0.1 == 0.0.0.1 drop",
    "@nh,120,8 11 drop",
    "-A PREROUTING -d 10.96.0.2/32 -j DNAT --to-destination 10.0.0.2-10.0.0.9:80",
    "-A POSTROUTING -j SNAT --to-source fd00::2-fd00::9",
    "ip daddr 10.96.0.2 tcp dport 80 dnat to 10.0.0.2-10.0.0.9:80",
    "ip6 daddr fd00::10 dnat ip6 to [fd00::2]-[fd00::9]:80",
  ])("%s tells apart whom no network does", (rule) => {
    expect(textOf(rule).unshareable).toBe(true);
  });
});
