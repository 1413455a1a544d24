import { say } from "@hairpin/core/messages/index.ts";
import { describe, expect, test } from "vitest";
import { itemsOf } from "./index.ts";

/** What a case may say is anybody's text, and the guard's tools run as root: refused before any tool is called. */
const refusedBy = (command: string): string => {
  const { items, refused } = itemsOf([command], () => "nft");
  expect(items, command).toEqual([]);
  return refused.map((r) => say(r)).join("\n");
};

describe("settings", () => {
  test.each([
    "sysctl -w net.//.//.//.etc.crontab=x",
    "sysctl -w 'net.//.//.//.etc.crontab=* * * * * root touch_pwned'",
    "sysctl -w net/../kernel/core_pattern=x",
    "sysctl -w net./=x",
    "sysctl -w net.//=x",
    "sysctl -w net..ipv4=1",
    "sysctl -w net.=1",
    "sysctl -w net=1",
    "sysctl -w kernel.core_pattern=x",
    "sysctl -w kernel.modprobe=x",
    "sysctl -w network.x=1",
    "echo x > /proc/sys/net/../kernel/modprobe",
    "echo x > /proc/sys/../../etc/crontab",
    "sysctl -w net.ipv4.-x=1",
    "sysctl -w 'net.ipv4.a b=1'",
  ])("%s", (command) => {
    expect(refusedBy(command)).toMatch(/only settings below net\.|does not|not /);
  });

  test.each(["net.ipv4.ip_forward=1;reboot", "net.ipv4.ip_forward=", "net.ipv4.ip_forward=$(id)"])(
    "value: %s",
    (set) => {
      refusedBy(`sysctl -w '${set}'`);
    },
  );

  test.each([
    "sysctl -w net.ipv4.conf.eth0.rp_filter=2",
    "sysctl -w net.ipv4.conf.eth0/100.rp_filter=2",
    "sysctl -w net/ipv4/conf/eth0.100/rp_filter=2",
    "sysctl -w net.ipv4.tcp_congestion_control=bbr",
    "sysctl -w 'net.ipv4.ip_local_port_range=32768 60999'",
  ])("taken: %s", (command) => {
    expect(itemsOf([command], () => "nft")).toMatchObject({ refused: [], items: [{ command }] });
  });
});

test.each([
  "iptables -A 'X\n-F' -j ACCEPT",
  "iptables -A '-F' -j ACCEPT",
  "iptables -A 'A B' -j ACCEPT",
  "iptables -P 'INPUT -F' ACCEPT",
  "ipset add -x 10.0.0.1",
  "ipset add 'a b' 10.0.0.1",
  "ipset add a '-file=/etc/passwd'",
  "ipset add a '10.0.0.1\nflush'",
  "ipset add a 10.0.0.1 comment 'x\"\nflush'",
])("no such word reaches a tool: %j", (command) => {
  expect(refusedBy(command)).not.toBe("");
});

test.each([
  "iptables -D INPUT -m comment --comment 'x\nCOMMIT\n*filter\n-F' -j ACCEPT",
  "iptables -A INPUT -j LOG --log-prefix 'x\n-F INPUT'",
  "iptables -A INPUT -m string --string 'x\n-F INPUT' --algo bm -j DROP",
  "iptables -A INPUT -M /tmp/x -j ACCEPT",
])("a rule is one line, and names no program: %j", (command) => {
  expect(refusedBy(command)).not.toBe("");
});
