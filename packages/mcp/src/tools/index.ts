import type { Register } from "../tool.ts";
import { check } from "./check.ts";
import { diagnose } from "./diagnose.ts";
import { diff } from "./diff.ts";
import { sweep } from "./sweep.ts";
import { whatIf } from "./what-if.ts";
import { whatToCollect } from "./what-to-collect.ts";

/** In the order of `tools/list`. */
export const tools: readonly Register[] = [diagnose, check, whatIf, diff, sweep, whatToCollect];
