import type { ProxyMode } from "../../kubernetes/index.ts";
import {
  type CaseFile,
  type KubernetesObjects,
  type Stack,
  type StackProgramme,
  type UndecidedMode,
  withProgramme,
} from "../../model/index.ts";
import type { StackDumps } from "../group.ts";
import type { Ledger } from "../ledger.ts";
import { datapathsOfNode, withClusterDatapaths } from "../other-datapaths/undumped.ts";
import { listGaps } from "./gaps.ts";
import { podsByNode } from "./local-pods.ts";
import { observedModes } from "./mode-of-dumped.ts";
import { bareNode, healthCheckListeners, listAssumptions, programmeOf } from "./programmed-stack.ts";
import { settingsOf } from "./settings.ts";
import { undumpedNodes } from "./undumped.ts";

export interface ProgrammedNodes {
  readonly stacks: readonly Stack[];
  readonly undecidedMode?: UndecidedMode;
}

/** case.yaml may say how kube-proxy runs on a node of which there is nothing but its object. */
export const isObjectOnly = ({ name, kind, dumps, stated }: StackDumps, objects: KubernetesObjects): boolean =>
  kind === "node" &&
  dumps.length === 0 &&
  stated === undefined &&
  undumpedNodes(objects, []).some((n) => n.name === name);

/** Nodes that only objects tell of, with what kube-proxy would have programmed there. */
export function programmedNodes(
  objects: KubernetesObjects,
  dumped: readonly Stack[],
  caseFile: CaseFile | undefined,
  ledger: Ledger,
): ProgrammedNodes {
  const nodes = undumpedNodes(objects, dumped);
  if (nodes.length === 0) return { stacks: [] };
  const elsewhere = observedModes(dumped, caseFile);
  const pods = podsByNode(objects);
  const listeners = healthCheckListeners(objects);
  const made = nodes.map((node) => {
    const stated = caseFile?.nodes.find((n) => n.name === node.name);
    const settings = settingsOf(node, objects, stated, elsewhere, ledger);
    const local = pods.get(node.name) ?? [];
    const datapaths = datapathsOfNode(objects, node.name);
    const bare = withClusterDatapaths(bareNode(node, local, settings.config, listeners), datapaths);
    // Who translates every Service does so in the place of kube-proxy.
    if (datapaths.some((d) => d.services === "all")) return { node, settings, stack: bare, programmes: [] };
    const programmes = settings.modes.map((mode): [ProxyMode, StackProgramme] => [
      mode,
      programmeOf(node, objects, settings, mode),
    ]);
    return { node, settings, stack: withProgramme(bare, programmes[0]![1]), programmes };
  });
  const proxied = made.filter((m) => m.programmes.length > 0);
  if (proxied.length > 0) {
    listAssumptions(proxied, ledger);
    listGaps(objects, proxied[0]!.settings.config, ledger);
  }
  const open = made.filter((m) => m.programmes.length > 1);
  const stacks = made.map((m) => m.stack);
  if (open.length === 0) return { stacks };
  const values = open[0]!.settings.modes;
  return {
    stacks,
    undecidedMode: {
      values,
      programmes: new Map(
        values.map((mode) => [
          mode,
          new Map(open.map((m) => [m.node.name, new Map(m.programmes).get(mode)!] as const)),
        ]),
      ),
    },
  };
}
