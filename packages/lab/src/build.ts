import { deviceWord, type Line, words } from "@hairpin/core/model/word.ts";
import { batches, type Lines } from "./batch.ts";
import { conntrackArguments } from "./compile/conntrack.ts";
import { deviceState } from "./compile/device-state.ts";
import { ipsetRestore } from "./compile/ipset.ts";
import { ipvsRestore } from "./compile/ipvs.ts";
import { type KindSupport, linkProgram, YARD } from "./compile/links.ts";
import { inputOfRestore, restores } from "./compile/netfilter.ts";
import { nftLoad } from "./compile/nft.ts";
import { attempt, type Refusal } from "./compile/refusal.ts";
import {
  type BatchLine,
  bridgeLines,
  forgetNeighbours,
  neighbourLines,
  routingLines,
  ruleLines,
} from "./compile/routing.ts";
import { earlySysctls, lateSysctls, refusedSysctls } from "./compile/sysctls.ts";
import type { SysctlWrite, ToolAnswer, ToolRun } from "./executor/protocol.ts";
import type { Session } from "./executor/session.ts";
import { emptyStack, type LabPlan, type LabStack } from "./plan.ts";

/** Makes the namespaces of a plan and all that is in them. Returns what could not be done. */
export async function build(
  session: Session,
  world: string,
  plan: LabPlan,
  kinds: KindSupport,
  named: boolean,
): Promise<readonly Refusal[]> {
  const builder = new Builder(session, world, plan);
  await builder.links(kinds, named);
  await builder.stacks();
  await builder.bridges();
  await builder.netfilter();
  await builder.connections();
  await session.call("ready", { world });
  await builder.forget();
  return builder.problems;
}

class Builder {
  readonly problems: Refusal[] = [];
  readonly #session: Session;
  readonly #world: string;
  readonly #plan: LabPlan;

  constructor(session: Session, world: string, plan: LabPlan) {
    this.#session = session;
    this.#world = world;
    this.#plan = plan;
  }

  readonly #run = async (runs: readonly ToolRun[]): Promise<readonly ToolAnswer[]> =>
    runs.length === 0 ? [] : await this.#session.call("run", { world: this.#world, runs }, 120);

  #linesOf(make: (stack: LabStack) => readonly Line[]): readonly Lines[] {
    return this.#plan.stacks.map((stack) => ({ stack: stack.name, lines: make(stack) }));
  }

  async #sysctls(
    stacks: readonly LabStack[],
    make: (stack: LabStack, refused: Refusal[]) => readonly SysctlWrite[],
    fresh: boolean,
  ): Promise<void> {
    const all = stacks.map((stack) =>
      this.#session.call("sysctl", { world: this.#world, stack: stack.name, set: make(stack, this.problems), fresh }),
    );
    for (const [i, refused] of (await Promise.all(all)).entries()) {
      this.problems.push(...refusedSysctls(stacks[i]!, refused));
    }
  }

  async links(kinds: KindSupport, name: boolean): Promise<void> {
    const { stacks } = this.#plan;
    const names = [YARD, ...stacks.map((s) => s.name)];
    const paths = await this.#session.call("open", { world: this.#world, stacks: names, name });
    await this.#sysctls([emptyStack(YARD, "outside"), ...stacks], earlySysctls, true);
    const program = linkProgram(this.#plan, (stack) => paths[stack]!, kinds);
    this.problems.push(...program.problems);
    for (const phase of program.phases) this.problems.push(...(await batches(this.#run, phase)));
  }

  /** Addresses, link states, routes and rules, one batch a stack. */
  async stacks(): Promise<void> {
    const all = this.#plan.stacks.map((stack) => ({
      stack: stack.name,
      batch: [
        ...deviceState(stack, this.problems).map((line): BatchLine => ({ line })),
        ...routingLines(stack, this.problems),
      ],
    }));
    const lines = all.map(({ stack, batch }) => ({ stack, lines: batch.map((l) => l.line) }));
    const failed = await batches(this.#run, lines);
    // A gateway that the kernel does not see on the link was there all the same: it is tried as onlink.
    const again = failed.map((failure) => {
      const line = all.find((one) => one.stack === failure.stack)!.batch.find((l) => l.line === failure.what);
      return /gateway|unreachable/i.test(failure.answer) ? line?.onlink : undefined;
    });
    this.problems.push(...failed.filter((_, i) => again[i] === undefined));
    const retries = failed.flatMap((f, i) => (again[i] === undefined ? [] : [{ stack: f.stack, lines: [again[i]] }]));
    this.problems.push(...(await batches(this.#run, retries)));
    const six = this.#linesOf((s) => (s.ipv6 ? ruleLines(s, this.problems, 6) : []));
    this.problems.push(...(await batches(this.#run, six, "ip", words`-6`)));
    await this.#tuns();
    await this.#sysctls(this.#plan.stacks, lateSysctls, false);
    const neighbours = this.#linesOf((s) => neighbourLines(s, this.problems));
    this.problems.push(...(await batches(this.#run, neighbours)));
  }

  /** Who was being asked for while stacks forgot one after the other may have been heard of since: all of them forget again, when nobody asks any more. */
  async forget(): Promise<void> {
    const lines = this.#linesOf((s) => (s.ipv6 ? [forgetNeighbours] : []));
    this.problems.push(...(await batches(this.#run, lines)));
  }

  async #tuns(): Promise<void> {
    for (const stack of this.#plan.stacks) {
      for (const device of stack.devices.filter((d) => d.kind === "tun" || d.kind === "tap")) {
        const tap = device.kind === "tap";
        const name = deviceWord(device.name);
        await this.#session.call("tun", { world: this.#world, stack: stack.name, device: name, tap });
      }
    }
  }

  async bridges(): Promise<void> {
    const lines = this.#linesOf((s) => bridgeLines(s, this.problems));
    this.problems.push(...(await batches(this.#run, lines, "bridge")));
  }

  /** Sets and virtual services first: rules name the sets. Then tables, those of one stack in their order. */
  async netfilter(): Promise<void> {
    const { stacks, observe } = this.#plan;
    const runs: ToolRun[] = [];
    for (const s of stacks) {
      const sets = ipsetRestore(s.name, s.ipsets, this.problems);
      const services = ipvsRestore(s.name, s.services, this.problems);
      if (sets !== "") runs.push({ stack: s.name, tool: "ipset", args: words`restore`, stdin: sets });
      if (services !== "") runs.push({ stack: s.name, tool: "ipvsadm", args: words`-R`, stdin: services });
    }
    await this.#wave(runs);
    await this.#native(stacks.filter((s) => s.nftFirst));
    const loads = stacks.map((s) => restores(s, observe, this.problems));
    for (let i = 0; loads.some((load) => load.length > i); i++) {
      await this.#wave(
        loads.flatMap((load, s): ToolRun[] => {
          const one = load[i];
          if (one === undefined) return [];
          const program = one.family === 6 ? "ip6tables" : "iptables";
          const tool: ToolRun["tool"] = `${program}-${one.backend}-restore`;
          return [{ stack: stacks[s]!.name, tool, args: words`-w`, stdin: inputOfRestore(one) }];
        }),
      );
    }
    await this.#native(stacks.filter((s) => !s.nftFirst));
  }

  /** Native nftables tables, all of a stack in one transaction. */
  async #native(stacks: readonly LabStack[]): Promise<void> {
    await this.#wave(
      stacks.flatMap((s): ToolRun[] => {
        const stdin = nftLoad(s, this.#plan.observe, this.problems);
        return stdin === undefined ? [] : [{ stack: s.name, tool: "nft", args: words`-f -`, stdin }];
      }),
    );
  }

  /** With a nat table loaded, or the kernel knows no translation. */
  async connections(): Promise<void> {
    const runs: ToolRun[] = [];
    for (const { name: stack, conntrack } of this.#plan.stacks) {
      for (const entry of conntrack ?? []) {
        attempt(this.problems, { stack, what: "a connection", origin: entry.origin }, () => {
          runs.push({ stack, tool: "conntrack", args: conntrackArguments(entry) });
        });
      }
    }
    await this.#wave(runs);
  }

  async #wave(runs: readonly ToolRun[]): Promise<void> {
    for (const [i, answer] of (await this.#run(runs)).entries()) {
      if (answer.status === 0) continue;
      const { stack, tool } = runs[i]!;
      this.problems.push({ stack, what: tool, answer: answer.stderr.trim() || `status ${answer.status}` });
    }
  }
}
