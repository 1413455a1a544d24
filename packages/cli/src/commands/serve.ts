import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { text as message } from "@hairpin/core/messages/index.ts";
import { beside } from "../beside.ts";
import { Budget } from "../case/budget.ts";
import { readFiles } from "../case/files.ts";
import { LIMITS } from "../case/limits.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { withCase } from "../serve/page-input.ts";
import { type Served, serve as served } from "../serve/server.ts";
import type { Register } from "./command.ts";

interface Options {
  readonly port: string;
}

/** Beside the program where it was built; run from source, where the page is built. */
const SOURCE = "../../../web/dist/index.html";

function page(): string {
  const built = beside("page.html");
  if (built !== undefined) return built;
  const found = join(dirname(fileURLToPath(import.meta.url)), SOURCE);
  if (!existsSync(found)) throw new Failure(EXIT.unavailable, message("error.page-not-built"));
  return readFileSync(found, "utf8");
}

export const serve: Register = (program, surface) => {
  program
    .command("serve")
    .summary("the page, on loopback")
    .description(
      "Serves the page to this machine's browser: drop dumps, ask, look at the packet's way, try fixes. All of it runs in the browser; no byte of a dump leaves it. With a case, the page opens with it. Ends with Ctrl-C.",
    )
    .argument("[case...]", "a folder, a bundle (.tar.gz), a transcript, or loose files")
    .option("--port <number>", "the port; any free one otherwise", "0")
    .action(async (paths: string[], options: Options) => {
      const port = Number(options.port);
      if (!/^\d+$/.test(options.port) || port > 65_535)
        throw new Failure(EXIT.usage, message("error.no-port", { port: options.port }));
      const inputs = paths.length === 0 ? undefined : readFiles(paths, new Budget(LIMITS)).inputs;
      if (inputs?.length === 0)
        throw new Failure(EXIT.noInput, message("error.nothing-to-read", { paths: paths.join(", ") }));
      const server = await open(inputs === undefined ? page() : withCase(page(), inputs), port);
      surface.write(`${server.url}\n`);
      surface.complain("hairpin: serving on loopback only; Ctrl-C ends it");
      await interrupted();
      await server.close();
      surface.finish(0);
    });
};

async function open(text: string, port: number): Promise<Served> {
  try {
    return await served(text, port);
  } catch (error) {
    throw new Failure(EXIT.unavailable, message("error.port", { value: port, why: (error as Error).message }));
  }
}

const interrupted = (): Promise<void> =>
  new Promise((done) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => done());
  });
