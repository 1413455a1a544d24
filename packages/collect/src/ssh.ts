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
    const { bundle, why } = await bundleBySsh(host, {
      sudo: options.sudo,
      args: options.pods ? [] : ["--no-pods"],
      seconds: SECONDS,
      onLine: (line) => options.onLine(host, line),
    });
    return bundle === undefined ? { from: host, ok: false, why } : { from: host, ok: true, bundle };
  });

interface ByShell {
  readonly sudo: boolean;
  /** Of the script: words without anything that a shell reads otherwise. */
  readonly args: readonly string[];
  readonly seconds: number;
  readonly onLine: (line: string) => void;
}

type Fetched =
  | { readonly bundle: Buffer; readonly why?: undefined }
  | { readonly bundle?: undefined; readonly why: string };

/** One machine's bundle, or why there is none. */
export async function bundleBySsh(host: string, { sudo, args, seconds, onLine }: ByShell): Promise<Fetched> {
  const shell = sudo ? ["sudo", "-n", "sh"] : ["sh"];
  const { status, out, err } = await run(
    "ssh",
    [...["-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "--", host, ...shell, "-s", "--", "-o", "-"], ...args],
    { input: collectScript(), onLine, seconds },
  );
  return status !== 0 || out.length === 0 ? { why: `ssh ended with ${status}: ${lastWords(err)}` } : { bundle: out };
}
