import type { Claim, Dialect } from "../dialect.ts";
import { notReadYet, when } from "./not-read-yet.ts";

const IP =
  /^(?:sudo\s+)?(?:\/\S{0,40}\/)?ip\s+(?:-\S+\s+(?:inet6?\s+)?)*(?:a|addr?|address|l|li|link|r|ro|route|ru|rule|n|nei|neigh|neighbou?r|netns|tunnel|tuntap|nexthop|vrf)\s+(?:add|append|change|chg|replace|repl|del|delete|flush|set)\s+\S/;
const OTHER =
  /^(?:sudo\s+)?(?:(?:bridge\s+(?:link|fdb|vlan)\s+(?:set|add|append|replace|del)|brctl\s+(?:addbr|delbr|addif|delif|hairpin|stp)|route\s+(?:add|del)|ifconfig\s+\S+\s+(?:up|down|\d|hw|mtu|add)|ethtool\s+-[KGACLs]\s|conntrack\s+-[DFIU]|arp\s+-[sd]|nft\s+(?:add|insert|delete|flush|-f)|tc\s+(?:qdisc|filter|class)\s+(?:add|del|replace)|modprobe\s|rmmod\s)\s*\S)/;

/** Commands that change a node, typed in a text. Tables that changed are shown by their dumps; patches are read where they are given as such. */
export const dialects: readonly Dialect[] = [
  notReadYet({
    id: "change-commands",
    title: "ip … add, bridge … set, ethtool -K and other changes",
    what: "commands that change the node",
    printedBy: () => false,
    claim: (line): Claim => when(IP.test(line) || OTHER.test(line), "line"),
  }),
];
