import type { steps as en } from "../en/steps.ts";

export const steps: Readonly<Record<keyof typeof en, string>> = {
  "step.jump": "跳转到 {chain}",
  "step.goto": "转到 {chain}（goto）",
  "step.return": "返回",
  "step.log": "LOG",
};
