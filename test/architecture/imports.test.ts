import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const core = join(root, "packages/core/src");

/** Folder → what it may import, from the table in docs/architecture.md. */
const allowed = new Map(
  readFileSync(join(root, "docs/architecture.md"), "utf8")
    .split("\n")
    .flatMap((line) => {
      const m = /^\| `(packages\/\S+)`\s*\|.*\| ([^|]+?)\s*\|$/.exec(line);
      return m === null ? [] : [[m[1]!, m[2]! === "–" ? [] : m[2]!.trim().split(/,\s*/)] as const];
    }),
);
const EVERYBODYS = ["net", "model"];

const filesUnder = (folder: string): string[] =>
  readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) return name === "node_modules" || name === "dist" ? [] : filesUnder(path);
      return /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) ? [path] : [];
    });

const IMPORT =
  /^\s*(?:import|export)\b[^"';]*?\bfrom\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/gm;
const importsOf = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(IMPORT)].map((m) => m[1] ?? m[2] ?? m[3]!);

const folderOf = (file: string): string => relative(core, file).split("/")[0]!;

describe("who may import whom", () => {
  test("the table names every folder there is", () => {
    const folders = readdirSync(core).filter(
      (n) => statSync(join(core, n)).isDirectory() && filesUnder(join(core, n)).length > 0,
    );
    expect(folders.filter((f) => !allowed.has(`packages/core/src/${f}`))).toEqual([]);
    const packages = readdirSync(join(root, "packages")).filter(
      (p) => p !== "core" && existsSync(join(root, "packages", p, "package.json")),
    );
    expect(packages.filter((p) => !allowed.has(`packages/${p}`))).toEqual([]);
  });

  test("the reader of imports sees all forms", () => {
    const text = `import a from "./a.ts";\nimport {\n  b,\n} from './b.ts';\nexport * from "./c.ts";\nimport "./d.ts";\nconst e = await import("./e.ts");\n`;
    expect([...text.matchAll(IMPORT)].map((m) => m[1] ?? m[2] ?? m[3])).toEqual([
      "./a.ts",
      "./b.ts",
      "./c.ts",
      "./d.ts",
      "./e.ts",
    ]);
  });

  test("inside core", () => {
    const wrong = filesUnder(core).flatMap((file) => {
      const own = folderOf(file);
      if (own.endsWith(".ts")) return [];
      const may = allowed.get(`packages/core/src/${own}`) ?? [];
      const open = may.includes("nothing") ? [] : EVERYBODYS;
      return importsOf(file).flatMap((specifier) => {
        const target = folderOf(resolve(dirname(file), specifier));
        return target === own || may.includes(target) || open.includes(target)
          ? []
          : [`${relative(root, file)} imports ${target}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  test("core stands alone: no Node module, no dependency, imports relative and with their ending", () => {
    const wrong = filesUnder(core).flatMap((file) =>
      importsOf(file).flatMap((specifier) => {
        const path = resolve(dirname(file), specifier);
        const fine =
          specifier.startsWith(".") && specifier.endsWith(".ts") && path.startsWith(`${core}/`) && existsSync(path);
        return fine ? [] : [`${relative(root, file)}: ${specifier}`];
      }),
    );
    expect(wrong).toEqual([]);
    const manifest = JSON.parse(readFileSync(join(root, "packages/core/package.json"), "utf8")) as Record<
      string,
      unknown
    >;
    for (const kind of ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"])
      expect(manifest[kind]).toBeUndefined();
  });

  test("packages import only the packages their row names", () => {
    const wrong = [...allowed].flatMap(([folder, may]) => {
      if (folder.startsWith("packages/core/") || !existsSync(join(root, folder))) return [];
      return filesUnder(join(root, folder)).flatMap((file) =>
        importsOf(file).flatMap((specifier) => {
          if (specifier.startsWith(".")) {
            return resolve(dirname(file), specifier).startsWith(`${join(root, folder)}/`)
              ? []
              : [`${relative(root, file)}: ${specifier}`];
          }
          const other = /^@hairpin\/([^/]+)/.exec(specifier)?.[1];
          return other === undefined || may.includes(other) ? [] : [`${relative(root, file)}: ${specifier}`];
        }),
      );
    });
    expect(wrong).toEqual([]);
  });
});

describe("front doors and rooms", () => {
  test("datapath is entered by its index alone", () => {
    const door = join(core, "datapath");
    const wrong = filesUnder(join(root, "packages")).flatMap((file) =>
      file.startsWith(`${door}/`) || file.includes(".test.")
        ? []
        : importsOf(file).flatMap((specifier) => {
            const path = specifier.startsWith("@hairpin/core/")
              ? join(core, specifier.slice("@hairpin/core/".length))
              : resolve(dirname(file), specifier);
            return path.startsWith(`${door}/`) && path !== join(door, "index.ts")
              ? [`${relative(root, file)}: ${specifier}`]
              : [];
          }),
    );
    expect(wrong).toEqual([]);
  });
  test("no folder holds more than 25 files", () => {
    const count = new Map<string, number>();
    for (const file of filesUnder(join(root, "packages")).filter((f) => !f.includes(".test.")))
      count.set(dirname(file), (count.get(dirname(file)) ?? 0) + 1);
    expect([...count].filter(([, n]) => n > 25).map(([d, n]) => `${relative(root, d)}: ${n}`)).toEqual([]);
  });
});

describe("sizes that read well", () => {
  const sizes = filesUnder(join(root, "packages")).map((file) => ({
    file: relative(root, file),
    lines: readFileSync(file, "utf8").split("\n").length,
  }));
  test("no file over 600 lines", () => expect(sizes.filter((s) => s.lines > 600)).toEqual([]));
  test("nine in ten under 300", () => {
    expect(sizes.filter((s) => s.lines >= 300).length).toBeLessThanOrEqual(sizes.length / 10);
  });
});
