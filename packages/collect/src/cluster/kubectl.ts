import { type CommandResult, type RunOptions, run } from "../run.ts";

/**
 * The user's own kubectl: kubeconfig, contexts, credentials by exec, proxies and impersonation are as everywhere else, and there is no
 * second client to keep. `globals`: which cluster, as its own options say it (`--context`, `--kubeconfig`).
 */
export type Kubectl = (args: readonly string[], options?: RunOptions) => Promise<CommandResult>;

export const kubectlOf =
  (globals: readonly string[]): Kubectl =>
  (args, options) =>
    run("kubectl", [...globals, ...args], options);
