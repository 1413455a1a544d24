// The pictures of the README, made from a bundled case: the walk as SVG, and the terminal's answer to the same question.
// Usage: npm run picture [CASE]
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadCase } from "../packages/cli/src/case/load.ts";
import { Askable, diagnose } from "../packages/core/src/diagnose/index.ts";
import { pictureOf } from "../packages/web/src/picture/picture.ts";
import { branchView } from "../packages/web/src/view/leg.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const name = process.argv[2] ?? "node-to-service-strict-rp-filter";
const path = join(root, "cases", name);
const images = join(root, "docs/images");

const askable = new Askable(loadCase([path]), []);
const { exploration } = diagnose(askable, {}).inquiry;
const failing = exploration.branches.find((b) => b.clientSees !== "connected") ?? exploration.branches[0]!;
const style = readFileSync(join(root, "packages/web/src/picture/picture.css"), "utf8");
const picture = pictureOf(
  branchView(failing, 0, (file, line) => askable.quote(file, line), exploration.world, "en"),
  "en",
  style,
);

const { stdout } = spawnSync(join(root, "hairpin"), ["diagnose", `cases/${name}`], {
  cwd: root,
  encoding: "utf8",
  env: { ...process.env, NO_COLOR: "1", LANG: "C.UTF-8" },
  stdio: ["ignore", "pipe", "inherit"],
});

mkdirSync(images, { recursive: true });
writeFileSync(join(images, "walk.svg"), `${picture.text}\n`);
writeFileSync(join(images, "answer.txt"), `$ hairpin diagnose cases/${name}\n${stdout}`);

// The README shows the first screen of the same answer.
const readme = join(root, "README.md");
const screen = [
  `$ ./hairpin diagnose cases/${name}`,
  ...stdout
    .split(/\n\n(?=Evidence|Costs|Open|If|Where|Also|Or|Assumed)/)[0]!
    .trimEnd()
    .split("\n"),
];
const block = `<!-- answer -->\n\`\`\`console\n${screen.join("\n")}\n\`\`\`\n<!-- /answer -->`;
writeFileSync(
  readme,
  readFileSync(readme, "utf8").replace(/<!-- answer -->[\s\S]*<!-- \/answer -->/, () => block),
);
