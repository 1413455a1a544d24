/** What the kernel and the network between decided, step by step. */
export const steps = {
  "step.jump": "jump to {chain}",
  "step.goto": "go to {chain}",
  "step.return": "return",
  "step.log": "LOG",
} as const;
