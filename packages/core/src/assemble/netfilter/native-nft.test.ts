import { assembled, stackOf } from "@hairpin/testing/case.ts";
import { expect, test } from "vitest";

const table = (policy: string): string =>
  `table inet guard {\n\tchain forward {\n\t\ttype filter hook forward priority filter; policy ${policy};\n\t}\n}\n`;
const hooks = (line: string): string => `family ip {\n\thook forward {\n\t\t ${line}\n\t}\n}\n`;
const open = (files: Readonly<Record<string, string>>): readonly string[] =>
  stackOf(assembled(files).world).netfilter.nativeNft.map((t) => t.name);

test("a chain or program at a hook that no listing shows is open", () => {
  const shown = { "nft-list-ruleset.txt": table("accept") };
  const beside = (line: string) => open({ ...shown, "nft-list-hooks.txt": hooks(line) });
  expect(beside("0000000000 chain inet guard forward [nf_tables]")).toEqual([]);
  expect(beside("0000000000 chain inet other forward [nf_tables]")).toEqual(["inet other"]);
  expect(beside("0000000000 nf_hook_run_bpf")).toEqual(["nf_hook_run_bpf"]);
});

test("two whole listings of one table that disagree leave it open; what they counted is no disagreement", () => {
  const both = (a: string, b: string) => open({ "nft-list-table-a.txt": a, "nft-list-table-b.txt": b });
  expect(both(table("accept"), table("accept"))).toEqual([]);
  expect(both(table("accept"), table("drop"))).toEqual(["inet guard"]);
});
