import { join } from "node:path";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable, type QuestionOptions } from "../../packages/core/src/diagnose/index.ts";

/** A question, and how often its client saw what when a real kernel was asked. */
export interface Flow {
  readonly dumps: string;
  /** As the command line takes them. */
  readonly args: readonly string[];
  readonly kernel: Readonly<Record<string, number>>;
  /** No dump decides it: the walk has to leave it open, with what the kernel did among what it says, or to say what it rests on. */
  readonly undecided?: true;
}

/** Names a flow within its folder. */
export const flowName = ({ dumps, args }: Flow): string => `${dumps} ${args.join(" ")}`;

/** What the client saw, all of it. One that gave up before the kernel did (three ARP requests take 3 s) saw a timeout beside the error. */
export function kernelSaw({ kernel }: Flow): string {
  const words = Object.keys(kernel).filter((word) => !(word === "timeout" && "unreachable" in kernel));
  return words.sort().join(" or ");
}

export const optionsOf = (args: readonly string[]): QuestionOptions =>
  Object.fromEntries(args.flatMap((arg, i) => (arg.startsWith("--") ? [[arg.slice(2), args[i + 1]]] : [])));

/** The case, knowing of its servers what no dump says: they answer a datagram from the address it was sent to (IP_PKTINFO). */
export function asking(path: string, flows: readonly Flow[]): Askable {
  const loaded = loadCase([path]);
  const ports = new Set(flows.flatMap(({ args }) => optionsOf(args).to?.split(":")[1] ?? []));
  const stacks = loaded.caseFile?.stacks ?? [];
  return new Askable(
    loaded,
    stacks.flatMap(({ name }) => [...ports].map((port) => `${name}/datagram-source/udp/${port}=the asked`)),
  );
}

/** Whether the walk's word is what the kernel did; of a flow that no dump decides, that it is left open. */
export const agrees = (flow: Flow, word: string): boolean =>
  flow.undecided === true
    ? word.startsWith("rests ") || (word.startsWith("open: ") && word.includes(kernelSaw(flow)))
    : word === kernelSaw(flow);

/** What the walk has clients see, in every branch; `open` where that depends on what no dump shows. */
export function walkSays(folder: string, flows: readonly Flow[]): readonly string[] {
  const cases = new Map<string, Askable>();
  const askable = (dumps: string): Askable => {
    const known = cases.get(dumps) ?? asking(join(folder, dumps), flows);
    cases.set(dumps, known);
    return known;
  };
  return flows.map(({ dumps, args, undecided }) => {
    const { branches, facts } = askable(dumps).ask(optionsOf(args)).exploration;
    if (undecided === true && branches.every((b) => b.grounds.length > 0)) return "rests on what nobody showed";
    const seen = new Set(branches.map((b) => b.clientSees ?? "undetermined"));
    const said = [...seen].sort().join(" or ");
    return facts.length > 0 && seen.size > 1 ? `open: ${said}` : said;
  });
}
