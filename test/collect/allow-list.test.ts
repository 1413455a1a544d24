import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { anonymise } from "../../packages/collect/src/anonymise/index.ts";
import { keyed } from "../../packages/collect/src/anonymise/keyed.ts";
import { readCase } from "../../packages/core/src/parse/index.ts";
import { allDialects } from "../../packages/core/src/parse/registry.ts";
import { bundledCases } from "../cases/bundled.ts";

const by = keyed(Buffer.alloc(32, 3));

interface File {
  readonly path: string;
  readonly text: string;
}

const here = resolve(fileURLToPath(import.meta.url), "..");
const leaks = join(here, "leaks");
const filesBelow = (folder: string): readonly File[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile())
    .map((e) => join(e.parentPath, e.name))
    .map((path) => ({ path: path.slice(folder.length + 1), text: readFileSync(path, "utf8") }));

/** One dump of every format that Hairpin reads, and all that the bundled cases have. */
const BUNDLES: readonly (readonly [string, readonly File[]])[] = [
  ["every format", filesBelow(leaks)],
  ...bundledCases().map(
    ({ name, loaded }) =>
      [name, loaded.inputs.flatMap((i) => (i.text === undefined ? [] : [{ path: i.path, text: i.text }]))] as const,
  ),
];

const WORD = /[\p{L}\p{N}]+/gu;
/** Names as people and machines make them: each holds a mark that nothing else holds. */
const SHAPES: readonly ((mark: string) => string)[] = [
  (m) => m,
  (m) => m.toUpperCase(),
  (m) => `${m[0]!.toUpperCase()}${m.slice(1)}`,
  (m) => `${m}-1`,
  (m) => `kube-${m}`,
  (m) => `${m}_svc`,
  (m) => `node.${m}.corp`,
  (m) => `3${m}`,
  (m) => `é${m}`,
  (m) => `eth${m}`,
  (m) => `veth${m}`,
  (m) => `KUBE-SVC-${m.toUpperCase()}`,
];

/** In place of every third word a name of its own, beginning with the given one. */
function planted(files: readonly File[], offset: number): { readonly files: readonly File[]; readonly marks: number } {
  let marks = 0;
  let word = 0;
  const plant = (text: string): string =>
    text.replace(WORD, (found) => {
      if (word++ % 3 !== offset) return found;
      const name = SHAPES[marks % SHAPES.length]!(
        `zqv${(marks + 1).toString(36).replace(/\d/g, (d) => "ghijklmnop"[Number(d)]!)}zq`,
      );
      marks++;
      return name;
    });
  return { files: files.map(({ path, text }) => ({ path, text: plant(text) })), marks };
}

/** Told from what ipvsadm prints by the command alone; typed without output; the same facts as `bridge fdb`. */
const READ_AS_ANOTHER = ["proc-ip-vs", "change-commands", "bridge-json"];

test("every dialect is among the formats that names are planted in", () => {
  const { dumps } = readCase(filesBelow(leaks));
  const found = new Set(dumps.map((d) => d.dialect.id));
  expect(allDialects.map((d) => d.id).filter((id) => !found.has(id) && !READ_AS_ANOTHER.includes(id))).toEqual([]);
});

describe("no name that is planted in a bundle is left in it", () => {
  test.each(BUNDLES.flatMap(([name, files]) => [0, 1, 2].map((offset) => [name, offset, files] as const)))(
    "%s, every third word from %i",
    (_, offset, files) => {
      const bundle = planted(files, offset);
      expect(bundle.marks).toBeGreaterThan(20);
      const left = anonymise(bundle.files, by).flatMap(({ path, text }) =>
        `${path}\n${text}`.split("\n").filter((line) => /zqv/i.test(line)),
      );
      expect(left).toEqual([]);
    },
  );

  test("in the path of a file neither", () => {
    const files = [
      "nodes/zqva/x.txt",
      "nodes/a/pods/zqvb/zqvc/ip-rule.txt",
      "nodes/a/tcpdump.zqvd.txt",
      "zqve.corp/zqvf-ip-route.txt",
    ];
    const paths = anonymise(
      files.map((path) => ({ path, text: "" })),
      by,
    ).map((f) => f.path);
    expect(paths.join("\n")).not.toMatch(/zqv/);
    expect(paths[1]).toMatch(/^nodes\/[^/]+\/pods\/namespace-1\/name-\d+\/ip-rule\.txt$/);
    expect(paths[2]).toMatch(/\/tcpdump\.[^.]+\.txt$/);
  });
});

describe("no address, MAC or number of an account is left, however it is written", () => {
  const files = filesBelow(leaks);
  const text = anonymise(files, by)
    .map((f) => `${f.path}\n${f.text}`)
    .join("\n");
  test.each([
    ["203.0.113.77", /203\.0\.113\.77/],
    ["… in the byte order of the machine", /4D7100CB/i],
    ["… in that of the network", /CB00714D/i],
    ["… with dashes", /203-0-113-77/],
    ["198.51.100.66", /198\.51\.100\.66|C6336442|426433C6/i],
    ["2001:db8:cafe::77", /2001:0?db8:cafe/i],
    ["a MAC", /0a:1b:2c:3d:4e:5f/i],
    ["a MAC in the number of a bridge", /8000\.a:1b|1b:2c:3d|0a1b2c3d4e5f/i],
    ["2001:db8:77::66", /2001:0?db8:77/i],
    ["a MAC in a frame's head", /0a 1b 2c/i],
    ["the MAC in a link-local address", /2cff:fe3d/],
    ["an account", /123456789012/],
    ["a machine's id", /4c4c4544|deadbeefcafef00d/],
    ["a token", /tok/i],
  ])("%s", (_, secret) => {
    expect(text.replace(/\btokens?\b/g, "")).not.toMatch(secret);
  });

  test("and the same one is the same everywhere", () => {
    const find = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? expect.fail(String(pattern));
    const address = find(/martian source ([\d.]+) from/);
    const hex = address.split(".").map((o) => Number(o).toString(16).padStart(2, "0").toUpperCase());
    expect(find(/^TCP {2}([0-9A-F]{8}):0050 rr/m)).toBe(hex.join(""));
    expect(find(/^eth0\t([0-9A-F]{8})\t/m)).toBe([...hex].reverse().join(""));
    const mac = find(/link\/ether ([0-9a-f:]+)/);
    expect(find(/MAC=((?:[0-9a-f]{2}:){5}[0-9a-f]{2}):/)).toBe(mac);
    expect(find(/ll header: 00000000: ((?:[0-9a-f]{2} ){5}[0-9a-f]{2})/)).toBe(mac.replaceAll(":", " "));
    expect(find(/--mac-source (\S+)/)).toBe(mac.toUpperCase());
    const [, from, to] = /--src-range ([\d.]+)-([\d.]+)/.exec(text)!;
    const last = (a: string): number => Number(a.split(".")[3]);
    expect(last(to!)).toBeGreaterThan(last(from!));
  });
});

/** What was read, dump by dump; which dump came first depends on names. */
const readings = (files: readonly File[]): readonly string[] =>
  readCase(files)
    .dumps.map(({ dialect, lines, reading }) =>
      JSON.stringify([dialect.id, lines, reading.counts, reading.diagnostics.map((d) => d.code)]),
    )
    .sort();

test.each(BUNDLES)("it is read as before, dump by dump: %s", (_, files) => {
  expect(readings(anonymise(files, by))).toEqual(readings(files));
});

const examples = process.env.HAIRPIN_REFERENCE;
describe.skipIf(examples === undefined || !existsSync(join(examples, "cluster")))("bundles of real clusters", () => {
  const top = join(examples ?? "", "cluster");
  const names = examples === undefined || !existsSync(top) ? [] : readdirSync(top, { withFileTypes: true });
  test.each(names.filter((e) => e.isDirectory()).map((e) => e.name))(
    "%s is read as before",
    { timeout: 60_000 },
    (name) => {
      const files = loadCase([join(top, name)]).inputs.flatMap((i) =>
        i.text === undefined ? [] : [{ path: i.path, text: i.text }],
      );
      expect(readings(anonymise(files, by))).toEqual(readings(files));
    },
  );
});
