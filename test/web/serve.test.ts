import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withCase } from "../../packages/cli/src/serve/page-input.ts";
import { type Served, serve } from "../../packages/cli/src/serve/server.ts";
import { hairpin } from "../check/surface.ts";

const PAGE =
  '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'"><script type="application/json" id="given">null</script>';

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ask = (
  port: number,
  { path = "/", method = "GET", headers = {} }: Asked,
): Promise<{ status: number; body: string; headers: Record<string, unknown> }> =>
  new Promise((done, fail) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        body += piece;
      });
      response.on("end", () => done({ status: response.statusCode ?? 0, body, headers: response.headers }));
    });
    sent.on("error", fail);
    sent.end();
  });

describe("what is served", () => {
  let served: Served;
  let port: number;
  beforeAll(async () => {
    served = await serve(PAGE, 0);
    port = Number(new URL(served.url).port);
  });
  afterAll(() => served.close());

  it("is the page, with its policy in the header too", async () => {
    const { status, body, headers } = await ask(port, {});
    expect([status, body]).toEqual([200, PAGE]);
    expect(headers["content-security-policy"]).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect((await ask(port, { method: "HEAD" })).body).toBe("");
    expect(
      (await ask(port, { headers: { host: `localhost:${port}`, origin: `http://localhost:${port}` } })).status,
    ).toBe(200);
  });

  it.each<[string, Asked, number]>([
    ["another name for this machine", { headers: { host: "evil.example" } }, 421],
    ["that name with our port", { headers: { host: "evil.example:80" } }, 421],
    ["a page of somebody else", { headers: { origin: "https://evil.example" } }, 403],
    ["a page without an origin", { headers: { origin: "null" } }, 403],
    ["a fetch from elsewhere", { headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" } }, 403],
    [
      "a frame elsewhere",
      { headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" } },
      403,
    ],
    ["a file beside it", { path: "/program.cjs" }, 404],
    ["a file above it", { path: "/../../../etc/passwd" }, 404],
    ["one encoded", { path: "/%2e%2e/%2e%2e/etc/passwd" }, 404],
    ["a whole address", { path: "http://evil.example/" }, 404],
    ["a question mark", { path: "/?x" }, 404],
    ["something to be written", { method: "POST" }, 405],
    ["something to be made", { method: "PUT", path: "/x" }, 405],
  ])("refuses %s", async (_, asked, status) => {
    const answer = await ask(port, asked);
    expect(answer.status).toBe(status);
    expect(answer.body).not.toContain("given");
  });

  it("listens on loopback only", async () => {
    const other = connect(port, "127.0.0.2");
    await expect(once(other, "connect")).rejects.toThrow("ECONNREFUSED");
  });

  it("says so where the port is taken", async () => {
    await expect(serve(PAGE, port)).rejects.toThrow("EADDRINUSE");
  });
});

describe("a case put into the page", () => {
  it("is data that nothing in it can break out of", () => {
    const text = "</script><script>alert(1)</script><!-- \u202e $& $1";
    const page = withCase(PAGE, [
      { path: "a.txt", text },
      { path: "b.pcap", binary: "pcap", bytes: new Uint8Array([1, 2, 3]) },
    ]);
    const [, json] = /id="given">([^<]*)<\/script>/.exec(page)!;
    expect(JSON.parse(json!)).toEqual({
      schema: "hairpin/page/1",
      files: [
        { path: "a.txt", text },
        { path: "b.pcap", base64: "AQID" },
      ],
      query: {},
    });
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toContain("\u202e");
  });
});

describe("hairpin serve", () => {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const start = (...args: string[]) =>
    spawn(
      process.execPath,
      [join(root, "node_modules/tsx/dist/cli.mjs"), join(root, "packages/cli/src/main.ts"), "serve", ...args],
      {
        stdio: ["ignore", "pipe", "pipe"],
      },
    );

  it("ends with Ctrl-C and leaves the port free", async () => {
    const { buildPage } = await import("../../packages/web/build.mjs");
    await buildPage("0.0.0-test");
    const child = start(join(root, "cases/hairpin-mode-off"));
    const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
    expect(line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\n$/);
    const port = Number(new URL(line).port);
    expect((await ask(port, {})).body).toContain("KUBE-SEP-WEB1000000000001");
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
    await expect(ask(port, {})).rejects.toThrow("ECONNREFUSED");
  });

  it.each([
    [["--port", "99999"], 64],
    [["no-such-folder"], 66],
  ])("says what is wrong with %s", async (args, status) => {
    expect((await hairpin("serve", ...args)).status).toBe(status);
  });
});
