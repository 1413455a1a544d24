import { expect, test } from "vitest";
import { read } from "../../model/index.ts";
import { applyNft, readRuleset } from "../../parse/nft/index.ts";
import { sourceOf } from "../../parse/source.ts";
import { undoNft } from "./nft.ts";

const RULESET = `table inet fw {
	set ports {
		type inet_service
		elements = { 80, 443 }
	}
	chain forward {
		type filter hook forward priority filter; policy drop;
		ct state established,related accept # handle 4
		tcp dport @ports accept # handle 5
	}
}
`;
const { tables } = readRuleset(sourceOf("nft.txt", RULESET));
const after = (command: string) => {
  const result = applyNft(tables, command, read("patch", 1));
  if ("error" in result) throw new Error(result.error);
  return result.tables;
};

test.each([
  [
    'insert rule inet fw forward tcp dport 22 accept comment "hairpin"',
    [
      `nft -a list chain inet fw forward | sed -n 's,.* comment "hairpin" # handle \\([0-9]*\\)$,delete rule inet fw forward handle \\1,p' | nft -f -`,
    ],
  ],
  [
    "add rule inet fw forward tcp dport 22 accept",
    [
      `nft delete rule inet fw forward handle "$(nft -a list chain inet fw forward | sed -n 's,.*# handle \\([0-9]*\\)$,\\1,p' | sed -n 4p)"`,
    ],
  ],
  ["delete rule inet fw forward handle 4", ["nft insert rule inet fw forward 'ct state established,related accept'"]],
  ["chain inet fw forward { policy accept ; }", ["nft chain inet fw forward '{ policy drop ; }'"]],
  ["add element inet fw ports { 22 }", ["nft delete element inet fw ports '{ 22 }'"]],
  ["delete element inet fw ports { 443 }", ["nft add element inet fw ports '{ 443 }'"]],
  ["add table ip mine", ["nft delete table ip mine"]],
])("%s", (command, commands) => {
  expect(undoNft(tables, after(command))).toEqual({ commands, unknown: [] });
});

test("what nft refuses changes nothing", () => {
  const refused = (command: string) => "error" in applyNft(tables, command, read("patch", 1));
  expect(refused("add rule inet nobody forward accept")).toBe(true);
  expect(refused("add rule inet fw nowhere accept")).toBe(true);
  expect(refused("delete rule inet fw forward handle 99")).toBe(true);
  expect(refused("insert rule inet fw forward what is this")).toBe(true);
});

test("what a command takes away and nobody can print again is said", () => {
  expect(undoNft(tables, after("delete table inet fw")).unknown).toEqual(["nft inet fw"]);
});
