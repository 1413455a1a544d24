import { text as message, ToldError } from "@hairpin/core/messages/index.ts";
import { type CaseFile, type Origin, read } from "@hairpin/core/model/index.ts";
import { type Document, isMap, LineCounter, parseDocument } from "yaml";
import { type CaseYaml, caseSchema } from "./case-schema.ts";
import { brokenYaml, complaintText, deepest, type Path } from "./complaint.ts";
import { checked } from "./shape.ts";

/** What is wrong with a case.yaml, said with file and line. */
export class BadCaseFile extends ToldError {}

export interface CaseText {
  readonly path: string;
  readonly text: string;
}

/** Finds the case.yaml of the topology that `base` names, where the case came with one. */
export type FindBase = (name: string) => CaseText | undefined;

/**
 * Reads and checks case.yaml; errors carry file and line. With `base: NAME` it starts from that topology's case.yaml: a list the
 * case states itself replaces the topology's.
 */
export function readCaseFile(file: string, text: string, findBase: FindBase = () => undefined): CaseFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const broken = document.errors[0];
  if (broken !== undefined) {
    throw new BadCaseFile(brokenYaml(file, lines.linePos(broken.pos[0]).line, broken.message));
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 }) ?? {};
  } catch (error) {
    throw new BadCaseFile(
      message("error.of-path", { path: file, why: error instanceof Error ? error.message : String(error) }),
    );
  }
  const lineOf = (path: Path) => lineAt(document, lines, path);
  const reading = checked(caseSchema, value);
  if ("issues" in reading) {
    const complaints = reading.issues.slice(0, 10).map((issue) => {
      const [path, what] = deepest(issue);
      return complaintText(file, lineOf(path), path, what);
    });
    throw new BadCaseFile(complaints);
  }
  const own = build(file, reading.value, (...path) => read(file, lineOf(path)));
  const { base } = reading.value;
  if (base === undefined) return own;
  const found = findBase(base);
  if (found === undefined) {
    throw new BadCaseFile(message("error.base-missing", { file, line: lineOf(["base"]), base, same: base }));
  }
  return overlay(readCaseFile(found.path, found.text), own);
}

/** What the case leaves unsaid is its topology's. */
const overlay = (base: CaseFile, own: CaseFile): CaseFile => ({
  ...base,
  ...(Object.fromEntries(
    Object.entries(own).filter(([, value]) => !Array.isArray(value) || value.length > 0),
  ) as unknown as CaseFile),
});

/** The line of the deepest part of `path` that is in the document. */
function lineAt(document: Document, lines: LineCounter, path: Path): number {
  for (let n = path.length; n > 0; n--) {
    const parent = n === 1 ? document.contents : document.getIn(path.slice(0, n - 1), true);
    const key = path[n - 1];
    if (isMap(parent)) {
      const pair = parent.items.find((p) => String((p.key as { value?: unknown })?.value ?? p.key) === String(key));
      const range = (pair?.key as { range?: readonly number[] } | undefined)?.range;
      if (range?.[0] !== undefined) return lines.linePos(range[0]).line;
    }
    const node = document.getIn(path.slice(0, n), true) as { range?: readonly number[] } | undefined;
    if (node?.range?.[0] !== undefined) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

/** Leaves out what is undefined: an absent field is not a field without value. */
type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> };
function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, v]) => v !== undefined)) as Present<T>;
}

function build(file: string, yaml: CaseYaml, at: (...path: PropertyKey[]) => Origin): CaseFile {
  const { question, expect, fabric } = yaml;
  return {
    file,
    ...(question === undefined ? {} : { question: { ...present(question), origin: at("question") } }),
    ...(expect === undefined ? {} : { expect: { ...present(expect), origin: at("expect") } }),
    nodes: Object.entries(yaml.nodes ?? {}).map(([name, node]) => ({
      name,
      files: (node?.files ?? []).map((f) => present(f)),
      ...(node?.kernel === undefined ? {} : { kernel: node.kernel }),
      ...(node?.kubeProxy === undefined ? {} : { kubeProxy: present(node.kubeProxy) }),
      origin: at("nodes", name),
    })),
    stacks: (yaml.stacks ?? []).map((stack, i) => ({
      ...present(stack),
      dumps: stack.dumps ?? [],
      addresses: stack.addresses ?? [],
      ...(stack.mac === undefined ? {} : { mac: stack.mac.toLowerCase() }),
      origin: at("stacks", i),
    })),
    links: (yaml.links ?? []).map((link, i) => ({ ...link, origin: at("links", i) })),
    ...(fabric === undefined
      ? {}
      : {
          fabric: {
            ...(fabric.srcDstCheck === undefined ? {} : { srcDstCheck: fabric.srcDstCheck }),
            ...(fabric.egressNat === undefined ? {} : { egressNat: fabric.egressNat }),
            ...(fabric.mtu === undefined ? {} : { mtu: fabric.mtu }),
            deny: (fabric.deny ?? []).map(({ port, ...deny }) => ({
              ...present(deny),
              ...(port === undefined ? {} : { ports: port }),
            })),
            origin: at("fabric"),
          },
        }),
    loadBalancers: (yaml.loadBalancers ?? []).map((lb, i) => ({
      ...(lb.name === undefined ? {} : { name: lb.name }),
      address: lb.address,
      ports: lb.ports ?? [],
      targets: lb.targets ?? [],
      preserveClient: lb.preserveClient ?? "?",
      vipBoundOnNode: lb.vipBoundOnNode ?? "?",
      ...(lb.forwarding === undefined ? {} : { forwarding: lb.forwarding }),
      ...(lb.oneAtATime === undefined ? {} : { oneAtATime: lb.oneAtATime }),
      ...(lb.source === undefined ? {} : { source: lb.source }),
      origin: at("loadBalancers", i),
    })),
    listeners: (yaml.listeners ?? []).map((listener, i) => ({
      stack: listener.stack,
      protocol: listener.protocol ?? 6,
      ...(listener.address === undefined ? {} : { address: listener.address }),
      port: listener.port,
      origin: at("listeners", i),
    })),
    assume: Object.entries(yaml.assume ?? {}).map(([fact, value]) => ({
      fact,
      value: String(value),
      origin: at("assume", fact),
    })),
    fixes: Object.entries(yaml.fixes ?? {}).map(([name, fix]) => ({
      name,
      ...present(fix),
      origin: at("fixes", name),
    })),
    ...(yaml.controls === undefined
      ? {}
      : {
          controls: Object.entries(yaml.controls).map(([name, { verdict, ...query }]) => ({
            name,
            question: { ...present(query), origin: at("controls", name) },
            verdict,
            origin: at("controls", name),
          })),
        }),
  };
}
