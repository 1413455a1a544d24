import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { manyServices } from "@hairpin/testing/made-sweep.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { reportAssets } from "../../packages/web/build.mjs";
import { sweepHtml } from "../../packages/web/src/sweep/report.ts";
import { folderOf } from "../check/surface.ts";
import { Bench, chromiumPath, screenshot, verdictOf, violations } from "./browser.ts";

vi.setConfig({ testTimeout: 120_000 });

if (chromiumPath === undefined) console.warn("SKIPPED: sweeps in the browser: there is no chromium");

describe.skipIf(chromiumPath === undefined)("a sweep in the browser", () => {
  let bench: Bench;
  const { path: folder, remove } = folderOf({});
  beforeAll(async () => {
    bench = await Bench.start();
  });
  afterAll(async () => {
    await bench?.stop();
    remove();
  });

  it.each([1280, 360])(
    "the report of thousands of Services is searched, opened and asks nobody (%i px)",
    async (width) => {
      const file = join(folder, `sweep-${width}.html`);
      const report = { lang: "en", title: "big", paths: ["big.tar.gz"], worked: () => "WORKED" } as const;
      writeFileSync(file, sweepHtml(manyServices(3000), report, await reportAssets()));
      const { page, context, requests, complaints } = await bench.open(pathToFileURL(file).href, {
        width,
        offline: true,
      });
      expect(await page.textContent(".swept-head")).toContain("30000 flows in 6000 classes");
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
      expect(wide).toBeLessThanOrEqual(width);
      await page.fill("[data-find]", "svc-2985:");
      expect(await page.locator(".target:visible").count()).toBe(1);
      await page.click(".target:visible > summary");
      expect(await page.textContent(".target[open]")).toContain("hairpin diagnose big.tar.gz --from pod/shop/web-5970");
      await page.fill("[data-find]", "no such service");
      await page.waitForSelector('[data-found]:has-text("nothing found")');
      await page.fill("[data-find]", "team-3/");
      await page.check("[data-only]");
      expect(await page.locator(".target.fine:visible").count()).toBe(0);
      expect(await page.locator(".target:visible").count()).toBeGreaterThan(10);
      await page.fill("[data-find]", "svc-2985:");
      // On paper stands what is broken.
      await page.fill("[data-find]", "");
      await page.uncheck("[data-only]");
      await page.emulateMedia({ media: "print" });
      expect(await page.locator(".find, .target.fine, .target.closed").locator("visible=true").count()).toBe(0);
      expect(await page.locator(".target:visible").count()).toBeGreaterThan(100);
      expect(requests.filter((r) => !r.startsWith("file:"))).toEqual([]);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it.each([1280, 360])("the report offends no rule of accessibility (%i px)", async (width) => {
    const file = join(folder, `small-${width}.html`);
    const report = { lang: "en", title: "x", paths: ["x"], worked: () => "WORKED" } as const;
    writeFileSync(file, sweepHtml(manyServices(12), report, await reportAssets()));
    const { page, context } = await bench.open(pathToFileURL(file).href, { width });
    await page.click(".target > summary >> nth=0");
    expect(await violations(page)).toEqual([]);
    await screenshot(page, `sweep-report-${width}`);
    await context.close();
  });

  it("the report reads without its script", async () => {
    const file = join(folder, "plain.html");
    const report = { lang: "en", title: "x", paths: ["x"], worked: () => "WORKED" } as const;
    writeFileSync(file, sweepHtml(manyServices(30), report, await reportAssets()));
    const { page, context } = await bench.open(pathToFileURL(file).href, { javaScript: false });
    expect(await page.locator(".find").isVisible()).toBe(false);
    await page.click(".worked >> nth=0");
    expect(await page.textContent(".worked[open] pre")).toBe("WORKED");
    await context.close();
  });

  it.each([1280, 360])("the page asks every flow, and a cell leads to its diagnosis (%i px)", async (width) => {
    const { page, context, complaints, requests } = await bench.open(`${bench.url}#case=nodeport-local-policy`, {
      width,
    });
    await verdictOf(page);
    const before = requests.length;
    await page.click('.sweep button:has-text("Ask every flow")');
    await page.waitForSelector(".swept-head", { timeout: 60_000 });
    expect(await page.textContent(".swept-head")).toContain("23 flows in 23 classes");
    expect(await page.textContent(".swept-causes")).toContain("ETP_LOCAL_NO_ENDPOINT_IPTABLES");
    const row = page.locator(".target:has(.cell.bad) >> nth=0");
    await row.locator("summary").click();
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, `sweep-page-${width}`);
    const ask = row.locator("button.ask >> nth=0");
    const [from, to] = [await ask.getAttribute("data-from"), await ask.getAttribute("data-to")];
    await ask.click();
    expect(await verdictOf(page)).toBe("unreachable");
    expect(await page.inputValue('input[name="to"]')).toBe(to);
    expect(await page.inputValue('input[name="from"]')).toBe(from);
    expect(requests.slice(before)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
