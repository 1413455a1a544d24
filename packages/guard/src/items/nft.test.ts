import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { itemsOf } from "./index.ts";

const COMMANDS = [
  "nft add table ip hairpin",
  "nft add chain ip hairpin postrouting '{ type nat hook postrouting priority 100 ; }'",
  `nft add rule ip hairpin postrouting meta l4proto tcp ct original ip daddr 10.96.0.7 ct original proto-dst 80 oifname '"eth0"' masquerade comment '"hairpin"'`,
  `nft insert rule inet own pass ip saddr 10.0.0.1 tcp dport 80 accept comment '"hairpin"'`,
  "nft chain inet own pass '{ policy accept ; }'",
];

describe("nft commands of a fix", () => {
  test("are things to keep", () => {
    const { items, refused } = itemsOf(COMMANDS, () => "nft");
    expect(refused).toEqual([]);
    expect(items.map((i) => i.where)).toEqual([
      "ip hairpin",
      "ip hairpin postrouting",
      "ip hairpin postrouting",
      "inet own pass",
      "inet own pass",
    ]);
  });

  test.each([
    "nft flush ruleset",
    "nft delete table inet own",
    "nft add rule inet own 'pass;flush' accept",
    "nft add rule inet own pass accept ';' flush ruleset",
    "nft add rule inet own pass include /etc/shadow",
    "nft add chain inet own pass '{ type filter hook forward priority 0 ; } ; flush ruleset'",
  ])("%s is not one of them", (command) => {
    expect(itemsOf([command], () => "nft").items).toEqual([]);
  });
});

/** Runs the items in a namespace of its own: a child, since a namespace is a process's. */
const RUN = `
import { execFileSync } from "node:child_process";
import { itemsOf } from "${import.meta.dirname}/index.ts";
const nft = (...words) => execFileSync("nft", words, { encoding: "utf8" });
nft("add", "table", "inet", "own");
nft("add chain inet own pass { type filter hook forward priority 0; policy drop; }");
nft("add rule inet own pass tcp dport 80 drop");
const { items } = itemsOf(${JSON.stringify(COMMANDS)}, () => "nft");
const states = () => items.map((i, n) => i.look(priors[n]).state).join(" ");
const before = nft("list", "ruleset");
const priors = [];
for (const i of items) { priors.push(i.before()); i.apply(priors.at(-1)); }
console.log(states());
nft("flush", "chain", "ip", "hairpin", "postrouting");
nft("insert rule inet own pass tcp dport 80 drop");
nft("chain inet own pass { policy drop; }");
console.log(states());
items.forEach((i, n) => i.apply(priors[n]));
console.log(states());
[...items].reverse().forEach((i, k) => i.revert(priors[items.length - 1 - k]));
nft("delete", "rule", "inet", "own", "pass", "handle", /dport 80 drop # handle (\\d+)/.exec(nft("-a", "list", "chain", "inet", "own", "pass"))[1]);
console.log(nft("list", "ruleset") === before);
`;

function canRun(): boolean {
  try {
    execFileSync("unshare", ["-n", "nft", "list", "ruleset"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

test.skipIf(!canRun())("are put there, kept in front, and taken away on a real node", () => {
  const said = execFileSync("unshare", ["-n", "npx", "tsx", "--input-type=module", "-e", RUN], { encoding: "utf8" });
  expect(said.trim().split("\n")).toEqual([
    "present present present present present",
    "present present absent displaced absent",
    "present present present present present",
    "true",
  ]);
});
