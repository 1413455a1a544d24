import { referenceJson, referencePath } from "@hairpin/testing/reference.ts";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable } from "../../packages/core/src/diagnose/index.ts";
import { judge } from "../../packages/core/src/trace/index.ts";

export interface Flow {
  readonly id: string;
  readonly from: { readonly stack: string };
  readonly to: string;
  readonly proto: string;
  readonly verdict: "works" | "fails" | "intermittent";
}

const VERDICTS = { works: "reachable", fails: "unreachable", intermittent: "intermittent" } as const;
/**
 * The servers of these Worlds answer from the address they were asked at (IP_PKTINFO), which no dump says of a socket bound to the
 * wildcard.
 */
const SERVERS = "the asked";

export const isIpv6 = (flow: Flow): boolean => flow.to.startsWith("[");
const portOf = (flow: Flow): string => flow.to.slice(flow.to.lastIndexOf(":") + 1);

/** What the walk says of each flow of a World that a real kernel was asked about, apart from those it is right about. */
export function notRight(
  corpus: string,
  world: string,
  wanted: (flow: Flow) => boolean,
): { readonly asked: number; readonly open: readonly string[] } {
  const flows = referenceJson<readonly Flow[]>(corpus, "worlds", world, "flows.json").filter(wanted);
  if (flows.length === 0) return { asked: 0, open: [] };
  const loaded = loadCase([referencePath(corpus, "worlds", world, "dumps")]);
  const ports = new Set(flows.filter((f) => f.proto === "udp").map(portOf));
  const stacks = (loaded.caseFile?.stacks ?? []).map((s) => s.name);
  const settled = stacks.flatMap((s) => [...ports].map((port) => `${s}/datagram-source/udp/${port}=${SERVERS}`));
  const askable = new Askable(loaded, settled);
  const open = flows.flatMap((flow) => {
    const { from, to, proto } = flow;
    const { verdict } = judge(askable.ask({ from: `stack/${from.stack}`, to, proto }).exploration);
    const right = VERDICTS[flow.verdict];
    if (verdict === right) return [];
    return [`${flow.id} ${verdict === "undetermined" ? "open" : "WRONG"}: ${verdict}, the kernel: ${right}`];
  });
  return { asked: flows.length, open };
}
