import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { netnsSupport } from "@hairpin/lab/index.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../../packages/cli/src/program.ts";
import { styleFor } from "../../../packages/cli/src/report/style.ts";
import { CASES } from "../../cases/bundled.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hostile-"));
  cpSync(join(CASES, "hairpin-mode-off"), join(folder, "case"), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function lab(...args: readonly string[]) {
  let [out, err, status] = ["", "", -1];
  await run(["lab", ...args], {
    write: (text) => {
      out += text;
    },
    complain: (text) => {
      err += `${text}\n`;
    },
    style: styleFor({}),
    lang: "en",
    finish: (code) => {
      status = code;
    },
  });
  return { out, err, status };
}

const file = (name: string): string => join(folder, "case/nodes/node-a", name);
const edit = (name: string, from: RegExp, to: string): void => {
  const text = readFileSync(file(name), "utf8");
  expect(text).toMatch(from);
  writeFileSync(file(name), text.replace(from, to));
};

describe("what a dump says is no command", () => {
  const support = netnsSupport();
  if (!support.usable) console.warn(`SKIPPED: hostile cases on the running kernel: ${support.reasons.join("; ")}`);

  test.skipIf(!support.usable)(
    "a MAC with line feeds in `ip -j neigh` runs nothing",
    async () => {
      const proof = join(folder, "pwned");
      const mac = [
        "02:00:00:00:00:01 dev eth0 nud permanent",
        "netns add hprt",
        `netns exec hprt sh -c "id > ${proof}"`,
        "netns del hprt",
        "neigh show to 10.20.0.1",
      ].join("\n");
      const rows = [{ dst: "10.20.0.1", dev: "eth0", lladdr: mac, state: ["PERMANENT"] }];
      writeFileSync(file("ip-neigh.json"), JSON.stringify(rows));
      const { err, status } = await lab(join(folder, "case"));
      expect(existsSync(proof)).toBe(false);
      expect(err).not.toContain("internal error");
      expect(status).toBe(0);
    },
    120_000,
  );

  test.skipIf(!support.usable)(
    "a card of another length of address than Ethernet's gets the lab's own",
    async () => {
      edit("ip-d-addr.txt", /link\/ether 02:00:0a:14:00:0b /, "link/ether 02:00:0a:14:00:0b:01:02 ");
      const { out, err, status } = await lab(join(folder, "case"));
      expect(err).not.toContain("internal error");
      expect(out).toContain("eth0 has a MAC of the lab's");
      expect(status).toBe(0);
    },
    120_000,
  );

  test("a device whose name is no name ends in its line and status 65, whoever asks", async () => {
    edit("ip-d-addr.txt", /vethweb1/g, "veth;web1");
    edit("bridge-d-link.txt", /vethweb1/g, "veth;web1");
    const { err, status } = await lab(join(folder, "case"));
    expect(err).toMatch(/nodes\/node-a\/ip-d-addr\.txt:\d+: "veth;web1" is not a device name the lab accepts/);
    expect(err).not.toContain("internal error");
    expect(status).toBe(65);
  });
});
