import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { folderOf, hairpin } from "../check/surface.ts";
import { tarOf } from "../check/tar.ts";
import { SHAPES } from "./shapes/index.ts";

const here = dirname(fileURLToPath(import.meta.url));
const cases = resolve(here, "../../cases");

let folders: { readonly remove: () => void }[] = [];
afterEach(() => {
  for (const f of folders) f.remove();
  folders = [];
});
function made(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder.path;
}
const shape = (name: string, n: number): string => made(SHAPES.find((s) => s.name === name)!.files(n));
const ASK = ["--from", "node/node", "--to", "10.96.0.1:443"];

/** What each folder of hostile inputs once did, and must not do again. */
describe("walks that multiply end in undetermined, with the reason", () => {
  test.each([
    ["chains that jump twice to the next", 24],
    ["marks by chance", 200],
    ["matches nobody knows", 400],
  ])(
    "%s",
    async (name, n) => {
      const path = shape(name, n);
      const before = process.memoryUsage().heapUsed;
      const { status, out } = await hairpin("diagnose", path, ...ASK);
      expect(status).toBe(2);
      expect(out).toMatch(/more\s+work\s+than\s+is\s+done\s+for\s+one\s+answer|too\s+many\s+unknowns\s+to\s+try/);
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(700e6);
      const json = await hairpin("diagnose", path, ...ASK, "--json");
      expect(JSON.parse(json.out).verdict).toBe("undetermined");
      expect(
        JSON.parse(json.out).deaths.some((d: { drop: string }) => /more work|too many unknowns/.test(d.drop)),
      ).toBe(true);
      expect(json.out.length).toBeLessThan(40e6);
    },
    240_000,
  );

  test("150,000 rules that match are told, shortened", async () => {
    const { status, out, err } = await hairpin("trace", shape("rules that all match", 150_000), ...ASK);
    expect(err).toBe("");
    expect(status).toBe(0);
    expect(out).toMatch(/steps omitted here/);
    expect(out.length).toBeLessThan(20e6);
  }, 240_000);

  test("diff of a node with the same one whose lines were shuffled", async () => {
    const { status, err } = await hairpin("diff", join(cases, "overlay-mtu"), join(here, "shuffled"));
    expect(err).toBe("");
    expect(status).toBe(1);
  }, 240_000);
});

describe("names that objects of the language answer to", () => {
  const words = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"];

  test.each(words)("a routing table called %s", async (word) => {
    const path = made({
      ...SHAPES.find((s) => s.name === "routing rules")!.files(1),
      "ip-rule.txt": `0:\tfrom all lookup local\n100:\tfrom all lookup ${word}\n32766:\tfrom all lookup main\n`,
    });
    for (const command of ["diagnose", "trace", "instrument"]) {
      const { status, err } = await hairpin(command, path, ...ASK);
      expect(err).not.toMatch(/internal error/);
      expect(status).toBeLessThan(64);
    }
  });

  test.each(words)("everything is called %s", async (word) => {
    const path = made({
      "nodes/n/ip-addr.txt": `1: lo: <LOOPBACK,UP> mtu 65536\n    inet 127.0.0.1/8 scope ${word} lo\n2: ${word}: <BROADCAST,UP,LOWER_UP> mtu 1500 state ${word}\n    link/${word} 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n    ${word}\n    inet 10.0.0.1/24 scope global ${word}\n`,
      "nodes/n/ip-route.txt": `default via 10.0.0.254 dev ${word} proto ${word} scope ${word}\n${word} 10.0.0.0/24 dev ${word}\n`,
      "nodes/n/ip-rule.txt": `0:\tfrom all lookup local\n1:\tfrom all ${word}\n2:\tfrom all tos ${word} lookup ${word}\n32766:\tfrom all lookup main\n`,
      "nodes/n/iptables-save.txt": `*filter\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:${word} - [0:0]\n-A OUTPUT -m ${word} --${word} x -j ${word}\n-A OUTPUT -m icmp --icmp-type ${word} -j LOG --log-level ${word}\n-A OUTPUT -j REJECT --reject-with ${word}\n-A OUTPUT -m tcp --tcp-flags ${word} SYN -j ${word}\nCOMMIT\n`,
      "nodes/n/sysctl.txt": `net.ipv4.conf.${word}.rp_filter = 1\nnet.ipv4.${word} = 1\n${word} = 1\n`,
      "nodes/n/ipset.txt": `Name: ${word}\nType: ${word}\nHeader: family ${word} ${word} 1\nMembers:\n${word}\n`,
      "nodes/n/ipvsadm.txt": `IP Virtual Server version 1.2.1 (size=4096)\nProt LocalAddress:Port Scheduler Flags\n  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn\nTCP  10.96.0.1:443 ${word}\n  -> 10.1.0.1:8443 ${word} 1 0 0\n`,
      "nodes/n/link.json": `[{"ifindex":2,"ifname":"${word}","${word}":"${word}","linkinfo":{"info_kind":"${word}","info_data":{"${word}":1,"__proto__":{"x":1}}},"operstate":"${word}"}]\n`,
      "nodes/n/conntrack.txt": `${word} 6 100 ${word} src=10.0.0.1 dst=10.96.0.1 sport=1 dport=443 src=10.1.0.1 dst=10.0.0.1 sport=8443 dport=1\n`,
      "objects.yaml": `apiVersion: v1\nkind: Service\nmetadata: {name: ${word}, namespace: ${word}, labels: {${word}: ${word}, __proto__: x}}\nspec: {clusterIP: 10.96.0.1, type: ${word}, externalTrafficPolicy: ${word}, selector: {${word}: ${word}}, ports: [{name: ${word}, port: 443, protocol: ${word}, targetPort: ${word}}]}\n---\napiVersion: v1\nkind: ${word}\nmetadata: {name: ${word}}\n---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: ${word}, namespace: ${word}}\nspec: {podSelector: {matchLabels: {${word}: ${word}}}, policyTypes: [${word}]}\n`,
    });
    for (const args of [
      ["check", path],
      ["check", path, "--json"],
      ["diagnose", path, ...ASK],
      ["diagnose", path, "--from", "node/n", "--to", "10.96.0.1:443", "--json"],
      ["diagnose", path, "--from", "node/n", "--to", `svc/${word}/${word}:${word}`],
      [
        "diagnose",
        path,
        "--from",
        "node/n",
        "--to",
        "10.96.0.1:443",
        "--try",
        `n: ip rule add from all lookup ${word}`,
      ],
      ["diagnose", path, "--from", "node/n", "--to", "10.96.0.1:443", "--try", `svc/${word}/${word} spec.${word}=1`],
      ["diagnose", path, "--from", "node/n", "--to", "10.96.0.1:443", "--proto", word],
      ["trace", path, "--from", "node/n", "--to", "10.96.0.1:443", "-v"],
      ["instrument", path, "--from", "node/n", "--to", "10.96.0.1:443"],
      ["diff", path, join(cases, "hairpin-mode-off"), "--node-a", "n", "--node-b", "node-a"],
    ]) {
      const { status, err } = await hairpin(...args);
      expect(err).not.toMatch(/internal error/);
      expect(status).not.toBe(70);
    }
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});

describe("what cannot be read is said", () => {
  test.skipIf(process.getuid?.() !== 0)(
    "a folder, a folder inside one, and a file that may not be read",
    () => {
      const path = made({
        "case/iptables-save.txt": "*filter\nCOMMIT\n",
        "case/inner/ip-rule.txt": "0:\tfrom all lookup local\n",
      });
      chmodSync(path, 0o755);
      const script = `
      import { hairpin } from ${JSON.stringify(join(here, "../check/surface.ts"))};
      process.setgid(65534); process.setuid(65534);
      console.log(JSON.stringify(await hairpin("check", ${JSON.stringify(join(path, "case"))})));`;
      writeFileSync(join(path, "ask.mts"), script);
      const ask = (): { status: number; out: string; err: string } =>
        JSON.parse(
          spawnSync(process.execPath, ["--import", "tsx", join(path, "ask.mts")], {
            cwd: resolve(here, "../.."),
            encoding: "utf8",
          }).stdout,
        );
      chmodSync(join(path, "case/inner"), 0o700);
      const inner = ask();
      expect(inner.err).toBe("");
      expect(inner.out).toMatch(/inner: not read: it may not be read/);
      chmodSync(join(path, "case"), 0o700);
      const outer = ask();
      expect(outer.status).toBe(66);
      expect(outer.err).toMatch(/case: it may not be read/);
    },
    240_000,
  );

  const two = (second: string): Buffer =>
    tarOf(
      {
        name: "nodes/a/iptables-save.txt",
        content: "*nat\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -d 10.96.40.0/32 -j DNAT --to-destination 10.1.1.9\nCOMMIT\n",
      },
      {
        name: second,
        content: "*nat\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -d 10.96.40.7/32 -j DNAT --to-destination 10.1.1.9\nCOMMIT\n",
      },
    );

  test("an archive that was cut anywhere, but for its end mark", async () => {
    const whole = two("nodes/b/iptables-save.txt");
    const path = made({ "x.txt": "" });
    for (const length of [100, 512, 600, 1024, 1500, 2047]) {
      const file = join(path, `cut-${length}.tar`);
      writeFileSync(file, whole.subarray(0, length));
      const { status, err } = await hairpin("check", file);
      expect([length, status]).toEqual([length, 65]);
      expect(err).toMatch(/cut short|no tar archive/);
    }
  });

  test("a name that stands twice is what tar would unpack, and it is said", async () => {
    const path = made({ "dup.tar": two("./nodes/a/iptables-save.txt") });
    const { out } = await hairpin("trace", join(path, "dup.tar"), "--from", "node/a", "--to", "10.96.40.7:80");
    expect(out).toMatch(/10\.96\.40\.7\/32/);
    expect((await hairpin("check", join(path, "dup.tar"))).out).toMatch(/more than once/);
  });

  test("a capture that is said to be a terabyte long and holds nothing", async () => {
    const path = made({ "iptables-save.txt": "*filter\nCOMMIT\n" });
    const fd = openSync(join(path, "eth0.pcap"), "w");
    const header = Buffer.alloc(24);
    header.writeUInt32LE(0xa1b2c3d4, 0);
    header.writeUInt32LE(65535, 16);
    header.writeUInt32LE(1, 20);
    writeSync(fd, header);
    ftruncateSync(fd, 2 ** 40);
    closeSync(fd);
    const { out, err } = await hairpin("check", path);
    expect(err).toBe("");
    expect(out).toMatch(/nothing but zeros/);
  });
});
