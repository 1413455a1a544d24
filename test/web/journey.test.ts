import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { diagnose } from "../../packages/core/src/diagnose/index.ts";
import { reportAssets } from "../../packages/web/build.mjs";
import { reportHtml } from "../../packages/web/src/report/report.ts";
import { bundledCases, CASES } from "../cases/bundled.ts";
import { folderOf } from "../check/surface.ts";
import { Bench, bundle, chromiumPath, drop, filesOf, screenshot, verdictOf, violations } from "./browser.ts";

vi.setConfig({ testTimeout: 120_000 });

if (chromiumPath === undefined) console.warn("SKIPPED: journeys through the page: there is no chromium");

const given = (page: Page): Promise<readonly string[]> => page.locator(".given li code").allTextContents();
const pagesOf = (pdf: Buffer): number => pdf.toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;
const copied = (page: Page): Promise<string> => page.evaluate<string>("navigator.clipboard.readText()");

/** A case split in two: what its nodes show, and the rest. */
const halves = (name: string) => {
  const files = filesOf(join(CASES, name)).filter((f) => !f.path.startsWith("README"));
  const sysctl = files.filter((f) => f.path.includes("sysctl"));
  return { most: files.filter((f) => !sysctl.includes(f)), sysctl };
};

describe.skipIf(chromiumPath === undefined)("a journey through the page", () => {
  let bench: Bench;
  const { path: folder, remove } = folderOf({});
  beforeAll(async () => {
    bench = await Bench.start();
  });
  afterAll(async () => {
    await bench?.stop();
    remove();
  });

  it("begins empty: what to run, three examples, what leaves the browser; an example has a link and a story", async () => {
    const { page, context, complaints } = await bench.open();
    const commands = await page.locator(".start .commands").allTextContents();
    expect(commands).toEqual(
      expect.arrayContaining([expect.stringMatching(/hairpin collect/), expect.stringMatching(/^kubectl get /)]),
    );
    expect(await page.textContent(".start")).toContain("What leaves this browser: nothing");
    expect(await page.locator(".examples a").count()).toBe(3);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.click(".start .copy >> nth=0");
    await page.waitForSelector('.start .copy:has-text("Copied")');
    expect(await copied(page)).toBe(commands[0]);
    await page.click(".examples a >> nth=0");
    expect(await verdictOf(page)).toBe("unreachable");
    expect(page.url()).toBe(`${bench.url}#case=hairpin-mode-off`);
    expect(await page.textContent(".story")).toContain("A pod that cannot reach itself through its Service");
    expect(await page.textContent(".story")).toContain("is the only endpoint of the Service");
    await page.goto("about:blank");
    await page.goto(`${bench.url}#case=lb-loops-back`);
    expect(await verdictOf(page)).toBe("intermittent");
    await page.evaluate('location.hash = "#case=no-such-case"');
    await page.waitForSelector('.dumps .problem:has-text("no-such-case")');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("tells the conversation at a glance, and leads from there into the walk", async () => {
    const { page, context } = await bench.open(`${bench.url}#case=vm-behind-bridge-masqueraded`);
    await verdictOf(page);
    const names = (way: string): Promise<string[]> => page.locator(`.strip .${way} .stop .name`).allTextContents();
    expect(await names("request")).toEqual(["ci-runner", "hv-1", "router", "hv-2", "ingress/nginx-0"]);
    expect(await names("reply")).toEqual(["ingress/nginx-0", "hv-2", "hv-1"]);
    // The way back stands below the way out, so that the router it leaves out is seen.
    const left = async (selector: string): Promise<number> =>
      await page
        .locator(selector)
        .boundingBox()
        .then((box) => Math.round(box!.x));
    expect(await left('.request .stop:has(.name:text-is("hv-1"))')).toBe(
      await left('.reply .stop:has(.name:text-is("hv-1"))'),
    );
    expect(await page.locator(".strip .nat").allTextContents()).toContain("dst 10.40.30.11 → 10.40.12.77");
    expect(await page.locator(".strip .dead .name").allTextContents()).toEqual(["hv-1"]);
    expect(await page.locator(".frame").isVisible()).toBe(false);
    await page.click(".strip .dead a");
    await page.waitForSelector('.step.death[aria-current="step"]');
    expect(await page.locator(".station.current.dead").isVisible()).toBe(true);
    expect(page.url()).toContain("#case=vm-behind-bridge-masqueraded");
    await context.close();
  });

  it("adds what is dropped second, lists it, takes it off again, and a reload keeps all of it", async () => {
    const { page, context, complaints } = await bench.open();
    const { most, sysctl } = halves("pod-to-lb-two-cards");
    const without = most.map((f) => ({ name: f.path.replaceAll("/", "_"), content: f.text }));
    await drop(page, [{ name: "most.tar.gz", content: bundle(most) }]);
    await verdictOf(page);
    const before = await page.textContent(".understood .summary");
    expect(without.length).toBeGreaterThan(2);
    await drop(page, [{ name: "sysctl.txt", content: sysctl[0]!.text }]);
    await page.waitForSelector('.given code:text-is("sysctl.txt")');
    await verdictOf(page);
    expect(await given(page)).toEqual(["most.tar.gz", "sysctl.txt"]);
    expect(await page.textContent(".understood .summary")).not.toBe(before);
    expect(await page.inputValue("input[name=to]")).toBe("10.21.115.80:80");
    await page.selectOption(".lang select", "zh");
    await page.waitForSelector('html[lang="zh-Hans"]');
    await page.waitForSelector(".busy", { state: "detached" });

    await page.reload();
    await verdictOf(page);
    expect(await page.getAttribute("html", "lang")).toBe("zh-Hans");
    expect(await given(page)).toEqual(["most.tar.gz", "sysctl.txt"]);
    expect(await page.inputValue("input[name=to]")).toBe("10.21.115.80:80");

    await page.click('.given li:has(code:text-is("sysctl.txt")) .remove');
    await page.waitForSelector('.given code:text-is("sysctl.txt")', { state: "detached" });
    await verdictOf(page);
    await page.click(".remove-all");
    await page.waitForSelector(".app.empty");
    await page.reload();
    await page.waitForSelector(".start");
    expect(await page.locator(".given").count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("puts an error at its field, and leaves no older answer beside it", async () => {
    const { page, context } = await bench.open(`${bench.url}#case=hairpin-mode-off`);
    await verdictOf(page);
    await page.fill("input[name=to]", "svc/default/nowhere:80");
    await page.click("button.main");
    await page.waitForSelector('.field:has(input[name=to]) .problem[role="alert"]');
    expect(await page.locator(".answer").count()).toBe(0);
    expect(await page.getAttribute("input[name=to]", "aria-invalid")).toBe("true");
    expect(await page.locator(".field:has(input[name=from]) .problem").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.fill("input[name=to]", "10.96.40.10:80");
    await page.fill("input[name=from]", "pod/default/nobody");
    await page.click("button.main");
    await page.waitForSelector('.field:has(input[name=from]) .problem[role="alert"]');
    expect(await page.locator(".field:has(input[name=to]) .problem").count()).toBe(0);
    await page.fill("input[name=from]", "pod/default/web-1");
    await page.click("button.main");
    expect(await verdictOf(page)).toBe("unreachable");
    expect(await page.locator(".problem").count()).toBe(0);
    await context.close();
  });

  it("marks a trial in the banner, and hands it on as a link", async () => {
    const { page, context } = await bench.open(`${bench.url}#case=hairpin-mode-off`);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await verdictOf(page);
    await page.check('.trial:has-text("hairpin") input >> nth=0');
    await page.waitForSelector('.answer[data-verdict="reachable"] .verdict .trying-mark');
    const mark = await page.textContent(".verdict .trying-mark");
    expect(mark).toContain("As it is: UNREACHABLE");
    expect(mark).toContain("bridge link set dev vethweb1 hairpin on");
    await page.click(".share");
    await page.waitForSelector('.shared:has-text("Link copied")');
    const link = await copied(page);
    expect(link).toContain("#case=hairpin-mode-off");
    await context.close();

    const other = await bench.open(link);
    await other.page.waitForSelector('.answer[data-verdict="reachable"] .verdict .trying-mark');
    expect(await other.page.locator(".trial input:checked").count()).toBe(1);
    await other.page.click(".as-it-is");
    await other.page.waitForSelector('.answer[data-verdict="unreachable"]');
    expect(await other.page.locator(".trying-mark").count()).toBe(0);
    await other.context.close();
  });

  it("hands on dumps of one's own as a link that holds them", async () => {
    const { page, context } = await bench.open();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await drop(page, [{ name: "mine.tar.gz", content: bundle(filesOf(join(CASES, "hairpin-mode-off"))) }]);
    await verdictOf(page);
    await page.click(".share");
    await page.waitForSelector('.shared:has-text("The dumps are in it")');
    const link = await copied(page);
    expect(link).toMatch(/#state=[\w-]+$/);
    await context.close();
    const other = await bench.open(link);
    expect(await verdictOf(other.page)).toBe("unreachable");
    expect(other.requests.filter((r) => !/^(?:blob|data):/.test(r)).map((r) => r.replace(/#.*/, ""))).toEqual([
      bench.url,
    ]);
    await other.context.close();
  });

  it("prints two pages, of an answer and of every report; all steps on request", async () => {
    const { page, context } = await bench.open(`${bench.url}#case=vm-behind-bridge-masqueraded`);
    await verdictOf(page);
    expect(pagesOf(await page.pdf({ format: "A4" }))).toBe(2);
    const assets = await reportAssets();
    for (const { name, askable } of bundledCases()) {
      const quote = (file: string, line: number) => askable.quote(file, line);
      const path = join(folder, `${name}.html`);
      writeFileSync(path, reportHtml({ diagnosis: diagnose(askable, {}), quote, missing: [] }, "en", assets));
      await page.goto(pathToFileURL(path).href);
      expect([name, pagesOf(await page.pdf({ format: "A4" }))]).toEqual([name, 2]);
    }
    await page.evaluate('document.body.classList.add("print-steps")');
    expect(pagesOf(await page.pdf({ format: "A4" }))).toBeGreaterThan(2);
    await context.close();
  });

  it("shows the verdict first on a phone, and crops nothing", async () => {
    for (const name of ["vm-behind-bridge-masqueraded", "dual-stack-firewall", "lb-loops-back"]) {
      const { page, context } = await bench.open(`${bench.url}#case=${name}`, { width: 390 });
      await verdictOf(page);
      await page.click(".to-walk a");
      await page.waitForSelector(".whole-walk[open] .path");
      const top = async (selector: string): Promise<number> => (await page.locator(selector).first().boundingBox())!.y;
      expect(await top(".verdict")).toBeLessThan(await top(".question"));
      // Wider than the screen, or its own text cut off: nothing visible is, but what scrolls by itself.
      const cropped = await page.evaluate<string[]>(`[...document.querySelectorAll("main *")].filter((e) => {
        if (e.closest(".scroll, datalist, select, svg, .sr, textarea, input") || e.getClientRects().length === 0) return false;
        const box = e.getBoundingClientRect();
        const style = getComputedStyle(e);
        return box.right > innerWidth + 1 || (style.overflowX !== "visible" && style.overflowX !== "auto" && e.scrollWidth > e.clientWidth + 1);
      }).map((e) => e.outerHTML.slice(0, 120))`);
      expect(cropped).toEqual([]);
      await screenshot(page, `phone-${name}`);
      await context.close();
    }
  });

  it("is worked by keys alone: an example, the question, a step of the walk, a trial", async () => {
    const { page, context } = await bench.open();
    const focused = (): Promise<string> => page.evaluate<string>("document.activeElement.outerHTML");
    const tabTo = async (sign: string): Promise<void> => {
      for (let i = 0; i < 200; i++) {
        await page.keyboard.press("Tab");
        if ((await focused()).startsWith(sign)) return;
      }
      throw new Error(`no Tab leads to ${sign}`);
    };
    await tabTo('<a href="#case=hairpin-mode-off"');
    await page.keyboard.press("Enter");
    await verdictOf(page);
    await page.evaluate("document.activeElement.blur(); scrollTo(0, 0)");
    await tabTo('<a class="box"');
    await page.keyboard.press("Enter");
    await page.waitForSelector('.whole-walk[open] .step[aria-current="step"]');
    await page.keyboard.press("End");
    await page.waitForSelector('.step.death[aria-current="step"]');
    await page.evaluate(
      "document.activeElement.blur(); getSelection().collapse(document.querySelector('.what-if'), 0)",
    );
    await tabTo('<input type="checkbox"');
    await page.keyboard.press("Space");
    await page.waitForSelector('.answer[data-verdict="reachable"] .trying-mark');
    await context.close();
  });
});

describe("files beside each other", () => {
  it("every worked case tells its title and its story", () => {
    for (const { name } of bundledCases())
      expect(readFileSync(join(CASES, name, "README.md"), "utf8")).toMatch(/^# .+\n\n[^#\n].{40}/);
  });
});
