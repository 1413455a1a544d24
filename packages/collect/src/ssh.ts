import { type Gathered, lastWords } from "./gathered.ts";
import { inParallel, run } from "./run.ts";
import { collectScript } from "./script.ts";

export interface Progress {
  readonly onLine: (from: string, line: string) => void;
}

const WIDTH = 8;
const SECONDS = 1200;

/** Through the system's ssh, with its own configuration and keys: the script goes in, the bundle comes out. */
export const collectBySsh = (
  hosts: readonly string[],
  options: Progress & { readonly sudo: boolean; readonly pods: boolean },
): Promise<readonly Gathered[]> =>
  inParallel(hosts, WIDTH, async (host): Promise<Gathered> => {
    const shell = options.sudo ? ["sudo", "-n", "sh"] : ["sh"];
    const { status, out, err } = await run(
      "ssh",
      [
        ...["-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "--", host, ...shell, "-s", "--", "-o", "-"],
        ...(options.pods ? [] : ["--no-pods"]),
      ],
      { input: collectScript(), onLine: (line) => options.onLine(host, line), seconds: SECONDS },
    );
    if (status !== 0 || out.length === 0)
      return { from: host, ok: false, why: `ssh ended with ${status}: ${lastWords(err)}` };
    return { from: host, ok: true, bundle: out };
  });
