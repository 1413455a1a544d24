import { formatAddress } from "@hairpin/core/net/index.ts";
import { deviceState } from "./compile/device-state.ts";
import { ipsetRestore } from "./compile/ipset.ts";
import { ipvsRestore } from "./compile/ipvs.ts";
import { type KindSupport, linkProgram, YARD } from "./compile/links.ts";
import { restores } from "./compile/netfilter.ts";
import type { Refusal } from "./compile/refusal.ts";
import { bridgeLines, neighbourLines, routeLines, ruleLines } from "./compile/routing.ts";
import { earlySysctls, lateSysctls, refusedSysctls } from "./compile/sysctls.ts";
import type { ToolAnswer, ToolRun } from "./executor/protocol.ts";
import type { Session } from "./executor/session.ts";
import { emptyStack, type LabPlan, type LabStack } from "./plan.ts";

/** Makes the namespaces of a plan and all that is in them. Returns what could not be done. */
export async function build(
  session: Session,
  world: string,
  plan: LabPlan,
  kinds: KindSupport,
  name: boolean,
): Promise<readonly Refusal[]> {
  const problems: Refusal[] = [];
  const run = async (runs: readonly ToolRun[]): Promise<readonly ToolAnswer[]> =>
    runs.length === 0 ? [] : await session.call("run", { world, runs }, 120);
  const paths = await session.call("open", { world, stacks: [YARD, ...plan.stacks.map((s) => s.name)], name });
  const early = [emptyStack(YARD, "outside"), ...plan.stacks].map((stack) =>
    session.call("sysctl", { world, stack: stack.name, set: earlySysctls(stack) }),
  );
  for (const [i, refused] of (await Promise.all(early)).entries()) {
    const stack = plan.stacks[i - 1];
    if (stack !== undefined) problems.push(...refusedSysctls(stack, refused));
  }

  const linesOf = (make: (stack: LabStack) => readonly string[]): readonly Lines[] =>
    plan.stacks.map((stack) => ({ stack: stack.name, lines: make(stack) }));
  const links = linkProgram(plan, (stack) => paths[stack]!, kinds);
  problems.push(...links.problems);
  for (const phase of links.phases) {
    problems.push(...(await batches(run, phase)));
  }
  problems.push(
    ...(await batches(
      run,
      linesOf((s) => deviceState(s, problems)),
    )),
  );
  await Promise.all(
    plan.stacks.flatMap((s) =>
      s.devices
        .filter((d) => d.kind === "tun" || d.kind === "tap")
        .map((d) => session.call("tun", { world, stack: s.name, device: d.name, tap: d.kind === "tap" })),
    ),
  );
  const late = plan.stacks.map((s) => session.call("sysctl", { world, stack: s.name, set: lateSysctls(s) }));
  for (const [i, refused] of (await Promise.all(late)).entries())
    problems.push(...refusedSysctls(plan.stacks[i]!, refused));

  problems.push(...(await routes(run, plan, problems)));
  const four = linesOf((s) => [...ruleLines(s, problems, 4), ...neighbourLines(s, problems)]);
  problems.push(...(await batches(run, four)));
  problems.push(
    ...(await batches(
      run,
      linesOf((s) => (s.ipv6 ? ruleLines(s, problems, 6) : [])),
      "ip",
      ["-6"],
    )),
  );
  problems.push(
    ...(await batches(
      run,
      linesOf((s) => bridgeLines(s, problems)),
      "bridge",
    )),
  );
  problems.push(...(await netfilter(run, plan, problems)));
  await session.call("ready", { world });
  return problems;
}

type Run = (runs: readonly ToolRun[]) => Promise<readonly ToolAnswer[]>;

interface Lines {
  readonly stack: string;
  readonly lines: readonly string[];
}

/** Runs batches at once and tells which of their lines the kernel refused. */
async function batches(
  run: Run,
  all: readonly Lines[],
  tool: "ip" | "bridge" = "ip",
  args: readonly string[] = [],
): Promise<readonly Refusal[]> {
  const some = all.filter((batch) => batch.lines.length > 0);
  const answers = await run(
    some.map((batch) => ({
      stack: batch.stack,
      tool,
      args: [...args, "-force", "-batch", "-"],
      stdin: `${batch.lines.join("\n")}\n`,
    })),
  );
  return answers.flatMap((answer, i) => failedLines(answer, some[i]!));
}

/** `Command failed -:7` follows what the kernel said about line 7. */
export function failedLines(answer: ToolAnswer, batch: Lines): readonly Refusal[] {
  if (answer.status === 0) return [];
  const found: Refusal[] = [];
  let said: string[] = [];
  for (const text of answer.stderr.split("\n")) {
    const failed = /^Command failed -:(\d+)$/.exec(text);
    if (failed === null) {
      if (text !== "") said.push(text);
      continue;
    }
    found.push({ stack: batch.stack, what: batch.lines[Number(failed[1]) - 1] ?? "?", answer: said.join("; ") });
    said = [];
  }
  if (found.length === 0)
    found.push({ stack: batch.stack, what: "a batch", answer: said.join("; ") || `status ${answer.status}` });
  return found;
}

/** Routes by gateway come after the connected ones; those whose gateway the kernel does not see on the link become onlink. */
async function routes(run: Run, plan: LabPlan, refused: Refusal[]): Promise<readonly Refusal[]> {
  const first = plan.stacks.map((s) => routeLines(s, refused));
  const failed = await batches(
    run,
    plan.stacks.map((s, i) => ({ stack: s.name, lines: first[i]!.map((l) => l.line) })),
  );
  const again = failed.flatMap((f) => {
    const i = plan.stacks.findIndex((s) => s.name === f.stack);
    const retry = first[i]?.find((l) => l.line === f.what)?.onlink;
    return retry === undefined || !/gateway|unreachable/i.test(f.answer) ? [] : [{ failure: f, retry }];
  });
  const rest = failed.filter((f) => !again.some((a) => a.failure === f));
  return [
    ...rest,
    ...(await batches(
      run,
      again.map((a) => ({ stack: a.failure.stack, lines: [a.retry] })),
    )),
  ];
}

async function netfilter(run: Run, plan: LabPlan, refused: Refusal[]): Promise<readonly Refusal[]> {
  const problems: Refusal[] = [];
  const wave = async (runs: readonly ToolRun[]) => {
    for (const [i, answer] of (await run(runs)).entries()) {
      if (answer.status === 0) continue;
      const { stack, tool } = runs[i]!;
      problems.push({ stack, what: tool, answer: answer.stderr.trim() || `status ${answer.status}` });
    }
  };
  await wave(
    plan.stacks.flatMap((s): ToolRun[] => {
      const sets = ipsetRestore(s.name, s.ipsets, refused);
      const services = ipvsRestore(s.name, s.services, refused);
      return [
        ...(sets === "" ? [] : [{ stack: s.name, tool: "ipset" as const, args: ["restore"], stdin: sets }]),
        ...(services === "" ? [] : [{ stack: s.name, tool: "ipvsadm" as const, args: ["-R"], stdin: services }]),
      ];
    }),
  );
  const loads = plan.stacks.map((s) => restores(s, plan.observe, refused));
  for (let i = 0; loads.some((l) => l.length > i); i++) {
    await wave(
      loads.flatMap((l, s): ToolRun[] => {
        const load = l[i];
        if (load === undefined) return [];
        const program = load.family === 6 ? "ip6tables" : "iptables";
        return [
          { stack: plan.stacks[s]!.name, tool: `${program}-${load.backend}-restore`, args: ["-w"], stdin: load.text },
        ];
      }),
    );
  }
  return problems;
}

/** Servers and relays, once the world stands. */
export async function serve(session: Session, world: string, plan: LabPlan): Promise<readonly Refusal[]> {
  for (const relay of plan.relays) {
    const { device, port, address } = relay;
    const routes = relay.routes.map((r) => ({
      network: formatAddress(r.to.address),
      length: r.to.length,
      via: formatAddress(r.via),
    }));
    const spec = { device, port, routes, ...(address === undefined ? {} : { address: formatAddress(address) }) };
    await session.call("relay", { world, stack: relay.stack, spec });
  }
  if (plan.listeners.length === 0) return [];
  const listeners = plan.listeners.map((l) => ({
    stack: l.stack,
    protocol: l.protocol,
    name: listenerName(l),
    address: l.address === undefined ? (l.family === 6 ? "::" : "0.0.0.0") : formatAddress(l.address),
    port: l.port,
    reply: l.reply ?? ("contacted" as const),
    ...(l.device === undefined ? {} : { device: l.device }),
  }));
  const answers = await session.call("listen", { world, listeners });
  return answers.flatMap((errno, i) =>
    errno === null ? [] : [{ stack: plan.listeners[i]!.stack, what: `listen on ${listeners[i]!.name}`, answer: errno }],
  );
}

export const listenerName = (l: LabPlan["listeners"][number]): string => `${l.stack} ${l.protocol}/${l.port}`;
