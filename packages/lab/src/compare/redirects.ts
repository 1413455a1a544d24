import { formatAddress, PROTO } from "@hairpin/core/net/index.ts";
import type { Branch } from "@hairpin/core/trace/index.ts";
import type { HookRecord } from "../observation.ts";
import { type HookLine, observedHook, predictedRedirects } from "../predict.ts";
import { firstDifference } from "./star.ts";

const LOST: ReadonlySet<Branch["clientSees"]> = new Set<Branch["clientSees"]>(["timeout", "unreachable", "stalled"]);

/** Where nothing was lost the walk plays no redirect; nor where data came to somebody who would not have it. */
const isPlayed = ({ clientSees, data }: Branch): boolean =>
  LOST.has(clientSees) && data[data.length - 1]?.step !== "socket";

/**
 * The first redirect that a router sends to somebody, hook by hook in every stack. When it sends another is time's to say: ip_rt_send_redirect()
 * waits longer each time.
 */
export function compareRedirects(branch: Branch, hooks: readonly HookRecord[], states: boolean): readonly string[] {
  if (!isPlayed(branch)) return [];
  const predicted = predictedRedirects(branch, states);
  const observed = firstOfEach(hooks);
  return [...new Set([...predicted, ...observed].map((l) => l.stack))].flatMap((stack) => {
    const texts = (lines: readonly HookLine[]) => lines.filter((l) => l.stack === stack).map((l) => l.text);
    const d = firstDifference(texts(predicted), texts(observed));
    return d === undefined ? [] : [`${stack}, redirects, hook ${d.at + 1}: the kernel ${d.kernel}; the walk ${d.walk}`];
  });
}

/** The next one passes the same hooks again, the first of them first. */
function firstOfEach(hooks: readonly HookRecord[]): readonly HookLine[] {
  const seen = new Map<string, { readonly lines: HookLine[]; ended: boolean }>();
  for (const hook of hooks) {
    const { icmp, protocol, src, dst } = hook.packet;
    if (protocol !== PROTO.icmp || icmp?.type !== 5) continue;
    const key = `${hook.stack} ${formatAddress(src)} ${formatAddress(dst)}`;
    const told = seen.get(key) ?? { lines: [], ended: false };
    seen.set(key, told);
    const line = observedHook(hook);
    told.ended ||= told.lines[0]?.text === line.text;
    if (!told.ended) told.lines.push(line);
  }
  return [...seen.values()].flatMap(({ lines }) => lines);
}
