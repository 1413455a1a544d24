import { spawnSync } from "node:child_process";

/** The real iptables in a network namespace of its own. */
const run = (command: string, args: readonly string[], input = "") =>
  spawnSync(command, args, { input, encoding: "utf8", maxBuffer: 1 << 28 });

const works = (command: string): boolean => run(command, ["--version"]).status === 0;

export const whyNoTools: string | undefined =
  process.getuid?.() !== 0
    ? "not root"
    : !works("iptables-legacy") || !works("iptables-nft")
      ? "iptables-legacy or iptables-nft is not installed"
      : run("ip", ["-Version"]).status !== 0
        ? "iproute2 is not installed"
        : run("unshare", ["-n", "true"]).status !== 0
          ? "network namespaces are not allowed here"
          : undefined;

export class Namespace {
  private readonly name = `hairpin-ipt-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;

  constructor() {
    const made = run("ip", ["netns", "add", this.name]);
    if (made.status !== 0) throw new Error(made.stderr);
  }

  run(tool: string, args: readonly string[], input = "") {
    return run("ip", ["netns", "exec", this.name, tool, ...args], input);
  }

  remove(): void {
    run("ip", ["netns", "delete", this.name]);
  }
}
