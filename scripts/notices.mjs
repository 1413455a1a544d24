// The licence notices of what a bundle holds beside Hairpin's own code, from what the bundler took in.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const PACKAGE = "(?:@[^/+@]+[/+])?[^/+@]+";

/** `inputs`: the input paths of esbuild's metafile. A package without a licence text is an error: it cannot be passed on. */
export function noticesOf(inputs) {
  const folders = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  const own = [...folders].map((folder) => noticeIn(folder));
  const carried = new Map(inputs.flatMap(carriedIn));
  const inside = [...carried].map(([name, version]) => ({
    ...noticeIn(join(root, "node_modules", name)),
    version,
  }));
  const notices = [...own, ...inside]
    .filter((m) => !m.name.startsWith("@hairpin/"))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return notices.map((m) => `${m.name} ${m.version} (${m.license})\n\n${m.text}\n`).join(`\n${"-".repeat(72)}\n\n`);
}

function noticeIn(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)/i.test(name));
  if (file === undefined) throw new Error(`${manifest.name} has no licence text to pass on`);
  return { ...manifest, text: readFileSync(join(folder, file), "utf8").trim() };
}

/** Packages that a dependency was itself bundled from, which its bundler marks: their licences travel as well. */
function carriedIn(path) {
  if (!path.includes("node_modules/")) return [];
  const marks = new RegExp(`^//#region .*node_modules/\\.pnpm/(${PACKAGE})@(\\d[\\w.-]*?)[_/]`, "gm");
  return [...readFileSync(path, "utf8").matchAll(marks)].map((m) => [m[1].replace("+", "/"), m[2]]);
}
