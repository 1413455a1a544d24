import { type AccessOptions, ClusterAccess, kubectlOf } from "@hairpin/collect/index.ts";
import { say } from "@hairpin/core/messages/index.ts";
import type { Surface } from "../commands/command.ts";
import { printable } from "../report/style.ts";

/** Where privileged pods are usually let in. */
const SYSTEM = "kube-system";

export interface AccessWish {
  readonly globals: readonly string[];
  readonly image?: string;
  readonly namespace: string;
  readonly ssh?: string;
  readonly lives: number;
  /** Every line of the script, too. */
  readonly verbose?: boolean;
}

/** The nodes of a cluster; what is said on the way goes to standard error. */
export function accessOf(
  { globals, image, namespace, ssh, lives, verbose = true }: AccessWish,
  surface: Surface,
): ClusterAccess {
  const told = (node: string, line: string) => surface.complain(printable(node === "" ? line : `${node}: ${line}`));
  const options: AccessOptions = {
    kubectl: kubectlOf(globals),
    ...(image === undefined ? {} : { image }),
    ...(ssh === undefined ? {} : { ssh }),
    namespaces: [...new Set([namespace, SYSTEM])],
    lives,
    onText: (node, said) => told(node, say(said, surface.lang)),
    // What other machines say is printed as text, whatever is in it.
    onLine: (node, line) => {
      if (verbose) told(node, line.replace(/^collect: /, ""));
    },
  };
  return new ClusterAccess(options);
}
