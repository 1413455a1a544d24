import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { jsonText, safeText } from "../../packages/core/src/messages/printable.ts";
import { folderOf, hairpin } from "../check/surface.ts";

const cases = resolve(dirname(fileURLToPath(import.meta.url)), "../../cases");
/** Sets the clipboard, clears the screen; C1 of the same; turns the direction of writing; takes no room. */
const EVIL = "w\u001b]52;c;cHdu\u0007\u001b[2J\u009b2J\u202egpj\u200b";
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

let folders: { readonly remove: () => void }[] = [];
afterEach(() => {
  for (const f of folders) f.remove();
  folders = [];
});
function made(files: Readonly<Record<string, string>>): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder.path;
}

const dumps = (device: string): Readonly<Record<string, string>> => ({
  "ip-addr.txt": `1: lo: <LOOPBACK,UP> mtu 65536\n    inet 127.0.0.1/8 scope host lo\n2: ${device}: <BROADCAST,UP,LOWER_UP> mtu 1500\n    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n    inet 10.0.0.1/24 scope global ${device}\n`,
  "ip-route.txt": `default via 10.0.0.254 dev ${device}\n`,
  "iptables-save.txt": `*filter\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:${EVIL} - [0:0]\n-A OUTPUT -d 10.96.0.1/32 -j ${EVIL}\n-A ${EVIL} -m ${EVIL} --x -j DROP\n-A OUTPUT -m comment --comment "${EVIL}" -j LOG --log-prefix "${EVIL}"\nCOMMIT\n`,
});

describe("nothing from outside acts on a terminal", () => {
  test("node, device, chain, comment, file and folder, in every command and format", async () => {
    const path = made({
      ...Object.fromEntries(Object.entries(dumps("eth0")).map(([n, t]) => [`nodes/${EVIL}/${n}`, t])),
      [`nodes/${EVIL}/${EVIL}.txt`]: `what is this ${EVIL}\n`,
      "objects.yaml": `apiVersion: v1\nkind: Service\nmetadata: {name: ${JSON.stringify(EVIL)}, namespace: ${JSON.stringify(EVIL)}}\nspec: {clusterIP: 10.96.0.1, ports: [{port: 443}]}\n`,
    });
    const other = made({ [`nodes/${EVIL}/iptables-save.txt`]: "*filter\n:OUTPUT DROP [0:0]\nCOMMIT\n" });
    const ask = [path, "--from", `node/${EVIL}`, "--to", "10.96.0.1:443"];
    for (const args of [
      ["check", path],
      ["check", path, "--json"],
      ["diagnose", ...ask, "-v"],
      ["diagnose", ...ask, "--json"],
      ["diagnose", ...ask, "--markdown"],
      ["diagnose", ...ask, "--sarif"],
      ["diagnose", ...ask, "--junit"],
      ["diagnose", path, "--from", EVIL, "--to", EVIL],
      ["trace", ...ask, "-v"],
      ["trace", ...ask, "--json"],
      ["instrument", ...ask],
      ["instrument", ...ask, "--json"],
      ["diff", path, other],
      ["diff", path, other, "--json"],
      ["diff", join(path, EVIL), other],
      ["guard", ...ask, "--on", EVIL, "--fix", "SERVICE_ROUTE", "--state", join(path, "st")],
      ["guard", join(cases, "hairpin-mode-off"), "--fix", EVIL],
      [EVIL],
      ["diagnose", `--${EVIL}`],
    ]) {
      const { out, err } = await hairpin(...args);
      expect([args[0], args[args.length - 1], RAW.exec(out)?.[0], RAW.exec(err)?.[0]]).toEqual([
        args[0],
        args[args.length - 1],
        undefined,
        undefined,
      ]);
    }
    const { out } = await hairpin("check", path, "--json");
    expect(JSON.stringify(JSON.parse(out))).toContain(JSON.stringify(EVIL).slice(1, -1));
  }, 120_000);

  test("what a remote machine says while it is read", async () => {
    const path = made({ x: "" });
    mkdirSync(join(path, "bin"));
    writeFileSync(
      join(path, "bin/ssh"),
      "#!/bin/sh\nprintf 'collect: \\033]52;c;cHdu\\007\\033[2Jwelcome\\n' >&2\nprintf 'Permission \\033]0;x\\007denied\\n' >&2\nexit 255\n",
    );
    chmodSync(join(path, "bin/ssh"), 0o755);
    const before = process.env.PATH;
    process.env.PATH = `${join(path, "bin")}:${before}`;
    try {
      const { err } = await hairpin("collect", "--ssh", "node-a", "-o", join(path, "x.tar.gz"));
      expect(err).toMatch(/welcome/);
      expect(RAW.exec(err)).toBeNull();
    } finally {
      process.env.PATH = before;
    }
  });

  test("the program's own colours stay, and no others", () => {
    expect(safeText("\u001b[1mbold\u001b[22m \u001b[8mhidden\u001b[0m\n\tx", true)).toBe(
      "\u001b[1mbold\u001b[22m ·[8mhidden·[0m\n\tx",
    );
    expect(safeText("\u001b[1mbold", false)).toBe("·[1mbold");
    expect(JSON.parse(jsonText({ a: EVIL, b: "\u{e0041}" }))).toEqual({ a: EVIL, b: "\u{e0041}" });
    expect(RAW.exec(jsonText({ [EVIL]: EVIL }))).toBeNull();
  });
});
