// The licence notices of what a bundle holds beside Hairpin's own code, from what the bundler took in.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** `inputs`: the input paths of esbuild's metafile. A package without a licence text is an error: it cannot be passed on. */
export function noticesOf(inputs) {
  const folders = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  const notices = [...folders]
    .map((folder) => {
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)/i.test(name));
      if (file === undefined || !existsSync(join(folder, file)))
        throw new Error(`${manifest.name} has no licence text to pass on`);
      return { ...manifest, text: readFileSync(join(folder, file), "utf8").trim() };
    })
    .filter((m) => !m.name.startsWith("@hairpin/"))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return notices.map((m) => `${m.name} ${m.version} (${m.license})\n\n${m.text}\n`).join(`\n${"-".repeat(72)}\n\n`);
}
