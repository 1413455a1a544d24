import { applyPatch } from "@hairpin/core/assemble/index.ts";
import type { Packet, World } from "@hairpin/core/model/index.ts";
import { type Address, type Mac, PROTO, parseAddress } from "@hairpin/core/net/index.ts";
import { playScript, type ScriptSight } from "@hairpin/core/trace/walk/script.ts";
import type { LabBackend } from "@hairpin/lab/index.ts";
import { judge } from "@hairpin/lab/soak/judge.ts";
import { type Scenario, type SoakStep, scriptOf } from "@hairpin/lab/soak/scenario.ts";
import { loadConformance } from "./cases.ts";

export const ip = (text: string): Address => parseAddress(text)!;

/** The World of a case folder, changed by commands as one would type them. */
export function worldOf(name: string, commands: readonly string[] = []): World {
  const { world } = loadConformance(name);
  const { world: patched, problems } = applyPatch(world, commands);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return patched;
}

const macOf = (world: World, stack: string, device: string): Mac =>
  world.stacks.find((s) => s.name === stack)!.devices.items.find((d) => d.name === device)!.mac!;

const FLAGS: Readonly<Record<string, number>> = { F: 1, S: 2, R: 4, P: 8, A: 16 };

export interface Injected {
  readonly src: string;
  readonly dst: string;
  readonly proto?: "tcp" | "udp" | "icmp";
  readonly sport?: number;
  readonly dport?: number;
  /** `S`, `SA`, `R` … */
  readonly flags?: string;
  readonly ttl?: number;
  /** ICMP type, code, id. */
  readonly icmp?: readonly [type: number, code: number, id: number];
  /** What an ICMP error quotes. */
  readonly quotes?: Injected;
}

function packetOf(p: Injected): Packet {
  const { proto = "udp", icmp, quotes } = p;
  const inner = quotes === undefined ? {} : { inner: packetOf(quotes) };
  return {
    src: ip(p.src),
    dst: ip(p.dst),
    protocol: PROTO[proto],
    sport: p.sport ?? 1111,
    dport: p.dport ?? 9,
    tcpFlags: proto === "tcp" ? [...(p.flags ?? "S")].reduce((all, f) => all | FLAGS[f]!, 0) : 0,
    ttl: p.ttl ?? 64,
    tos: 0,
    length: proto === "tcp" ? 40 : 28,
    df: false,
    ...(proto === "icmp" && { sport: 0, dport: 0, icmp: { type: icmp![0], code: icmp![1], id: icmp![2], ...inner } }),
  };
}

/** A frame out of `from` (stack:device) for the MAC of `to`. */
export function injected(world: World, from: string, to: string, packet: Injected): SoakStep {
  const [stack, device] = from.split(":") as [string, string];
  const [there, port] = to.split(":") as [string, string];
  return {
    kind: "inject",
    stack,
    device,
    packet: packetOf(packet),
    sourceMac: macOf(world, stack, device),
    destinationMac: macOf(world, there, port),
  };
}

/**
 * What became of the first packet of a step in one stack: why it was dropped there, else the last hook it passed there.
 * `INPUT`, `FORWARD`, `PREROUTING`, or the reason of the drop.
 */
export function fate(sight: ScriptSight, stack: string): string {
  let last = "nothing";
  for (const step of sight.steps.filter((s) => s.stack === stack)) {
    if (step.kind === "drop") return step.reason;
    if (step.kind !== "hook") continue;
    if (step.hook === "INPUT" || step.hook === "FORWARD") return step.hook;
    last = step.hook;
  }
  return last;
}

/** Plays a scenario on the walk alone: what each step caused. */
export function walkThrough(scenario: Scenario): readonly ScriptSight[] {
  const answer = playScript(scenario.world, scriptOf(scenario), () => true);
  if (answer.kind !== "explained") throw new Error(answer.kind === "undetermined" ? answer.why.kind : "no branch");
  return answer.run.sights;
}

/** Plays it on a kernel as well: what differs, in sentences. */
export async function kernelDiffers(lab: LabBackend, scenario: Scenario): Promise<readonly string[]> {
  const judged = await judge(lab, scenario);
  if (judged.kind === "agrees") return [];
  return judged.kind === "skipped" ? [judged.reason] : [`step ${judged.step + 1}`, ...judged.differences];
}
