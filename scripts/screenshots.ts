// The pictures of the page in the documents, taken with Debian's Chromium.
// Usage: npm run screenshots
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Bench, verdictOf } from "../test/web/browser.ts";

const images = fileURLToPath(new URL("../docs/images/", import.meta.url));
const SHOTS = [
  { file: "page.png", width: 1280, height: 800, dark: false, hash: "#case=vm-behind-bridge-masqueraded" },
  { file: "page-dark.png", width: 1280, height: 800, dark: true, hash: "#case=overlay-mtu" },
  { file: "page-empty.png", width: 1280, height: 800, dark: false, hash: "" },
  { file: "page-phone.png", width: 390, height: 800, dark: false, hash: "#case=hairpin-mode-off" },
] as const;

mkdirSync(images, { recursive: true });
const bench = await Bench.start();
for (const { file, width, height, dark, hash } of SHOTS) {
  const { page, context } = await bench.open(`${bench.url}${hash}`, { width, dark });
  await page.setViewportSize({ width, height });
  await (hash === "" ? page.waitForSelector(".start") : verdictOf(page));
  await page.evaluate("Promise.all(document.getAnimations().map((a) => a.finish()))");
  await page.screenshot({ path: join(images, file) });
  await context.close();
}
await bench.stop();
