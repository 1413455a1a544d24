export { anonymise } from "./anonymise/index.ts";
export type { Gathered } from "./gathered.ts";
export { clusterObjects, collectByKubectl, DEBUG_IMAGE, nodeNames, type TextFile } from "./kubectl.ts";
export { wantedOf } from "./objects.ts";
export { run, stopAll } from "./run.ts";
export { collectScript } from "./script.ts";
export { collectBySsh } from "./ssh.ts";
export { packed } from "./tar.ts";
