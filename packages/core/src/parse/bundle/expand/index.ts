import type { CaseInput } from "../../case/input.ts";
import { antreaCluster } from "./antrea-cluster.ts";
import { clusterDump } from "./cluster-dump.ts";
import { kubeskoop } from "./kubeskoop.ts";
import { talosResources } from "./talos.ts";

/** Forms that hold many dumps in one file of their own making. */
const FORMS: readonly ((input: CaseInput) => readonly CaseInput[] | undefined)[] = [
  kubeskoop,
  antreaCluster,
  clusterDump,
  talosResources,
];

/** Files whose form is only their collector's, as the files that other tools would have written. */
export const expanded = (inputs: readonly CaseInput[]): readonly CaseInput[] =>
  inputs.flatMap((input) => {
    for (const form of FORMS) {
      const made = form(input);
      if (made !== undefined) return made;
    }
    return [input];
  });
