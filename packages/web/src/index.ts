export { pictureOf } from "./picture/picture.ts";
export { type Assets, reportHtml } from "./report/report.ts";
export { type SweepReport, sweepHtml } from "./sweep/report.ts";
export { type BranchView, branchView } from "./view/leg.ts";
