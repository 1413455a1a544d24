import { assumed, type IptablesTable, type Stack, type World } from "../model/index.ts";

const HOOKS = ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"] as const;
const ORIGIN = assumed("the table that probes are laid in");

/** LOG rules go to mangle, which has a chain at every hook. Where it was not dumped or is not loaded, laying a rule makes it. */
export const watchable = (world: World): World => ({ ...world, stacks: world.stacks.map(withMangle) });

function withMangle(stack: Stack): Stack {
  const { tables } = stack.netfilter;
  if (tables.some((t) => t.name === "mangle" && t.family === 4)) return stack;
  const mangle: IptablesTable = {
    name: "mangle",
    family: 4,
    backend: tables.find((t) => t.family === 4)?.backend ?? "unknown",
    chains: HOOKS.map((name) => ({ name, policy: "ACCEPT", rules: [], extent: "whole", origin: ORIGIN })),
    extent: "whole",
    origin: ORIGIN,
  };
  return { ...stack, netfilter: { ...stack.netfilter, tables: [...tables, mangle] } };
}
