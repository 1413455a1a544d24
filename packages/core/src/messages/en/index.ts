import { assumptions } from "./assumptions.ts";
import { causes } from "./causes.ts";
import { checkReport } from "./check-report.ts";
import { checks } from "./checks.ts";
import { contradictions } from "./contradictions.ts";
import { diff } from "./diff.ts";
import { differences } from "./differences.ts";
import { errors } from "./errors/index.ts";
import { evidence } from "./evidence.ts";
import { fabric } from "./fabric.ts";
import { facts } from "./facts.ts";
import { fixes } from "./fixes.ts";
import { guard } from "./guard.ts";
import { kubeProxy } from "./kube-proxy.ts";
import { lab } from "./lab.ts";
import { lessons } from "./lessons/index.ts";
import { live } from "./live/index.ts";
import { names } from "./names.ts";
import { page } from "./page.ts";
import { policies } from "./policies.ts";
import { report } from "./report.ts";
import { restsOn } from "./rests-on.ts";
import { steps } from "./steps.ts";
import { sweep } from "./sweep/index.ts";
import { terminal } from "./terminal.ts";
import { unknowns } from "./unknowns.ts";
import { verdicts } from "./verdicts.ts";
import { walk } from "./walk.ts";

/** Group by group, a file each; ids are `group.name`. */
export const en = {
  ...terminal,
  ...assumptions,
  ...walk,
  ...steps,
  ...unknowns,
  ...names,
  ...fabric,
  ...verdicts,
  ...causes,
  ...checkReport,
  ...checks,
  ...contradictions,
  ...diff,
  ...differences,
  ...facts,
  ...fixes,
  ...errors,
  ...evidence,
  ...policies,
  ...report,
  ...restsOn,
  ...page,
  ...kubeProxy,
  ...lab,
  ...guard,
  ...live,
  ...sweep,
  ...lessons,
} as const;
