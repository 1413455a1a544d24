import type { Claim } from "../dialect.ts";

const when = (test: boolean, claim: Claim): Claim => (test ? claim : "no");

/** A claim must not cost more than a glance, however long the line. */
const GLANCE = 2000;

const KINDS =
  /^\s*-?\s*"?kind"?: ?"?(?:List|[A-Z][A-Za-z]{2,60}List|Node|Pod|Service|Endpoints|EndpointSlice|ConfigMap|Namespace|Ingress|NetworkPolicy|Deployment|DaemonSet|StatefulSet|ReplicaSet|IPPool|FelixConfiguration|BGPPeer|BGPConfiguration|HostEndpoint|KubeProxyConfiguration|ClusterConfiguration|InitConfiguration|Gateway|VirtualService|Secret|ServiceAccount|CiliumNode|CiliumEndpoint)"?,?\s*$/;
const API = /^\s*-?\s*apiVersion: ?"?[a-z0-9.]{0,80}\/?v\d\w{0,12}"?\s*$/;
const JSON_OBJECT = /^\{\s*"(?:apiVersion|kind|items|metadata)"\s*:/;
const YAML_LINE =
  /^\s*(?:- ?)?(?:["']?[A-Za-z0-9_./-]{1,120}["']?:(?:\s.{0,2000})?|- .{1,2000}|[{}[\]"].{0,2000}|---|--)\s*$/;
const FLANNEL_ANNOTATION =
  /^\s*(?:\S{1,100}\s+)?"?(?:flannel\.alpha\.coreos\.com|projectcalico\.org|k3s\.io|node\.alpha\.kubernetes\.io|kubeadm\.alpha\.kubernetes\.io|volumes\.kubernetes\.io|kubernetes\.io|beta\.kubernetes\.io|service\.(?:beta\.)?kubernetes\.io|cilium\.io|io\.cilium)[\w./-]{0,80}"?: /;

export function claimObjects(whole: string): Claim {
  const line = whole.slice(0, GLANCE);
  if (API.test(line) || JSON_OBJECT.test(line)) return "head";
  if (KINDS.test(line) || FLANNEL_ANNOTATION.test(line)) return "line";
  return when(YAML_LINE.test(line) || /^\s+\S/.test(line), "maybe");
}

const FIRST_KEY = /^(?:apiVersion|kind|items|addressType): ?\S{0,100}\s*$/;
const TOP_LEVEL = /^["']?[a-z][\w.-]{0,60}["']?:(?:\s|$)/;

/** A file of objects from its first line to its last: told without asking every dialect about every line. */
export function fillsObjects(lines: readonly string[]): boolean {
  let first = 0;
  while (first < lines.length && /^(?:\s*(?:#.*)?|---\s*)$/.test(lines[first]!.slice(0, 200))) first++;
  const start = lines[first] ?? "";
  if (start.startsWith("{")) return fillsJson(lines, first);
  if (!FIRST_KEY.test(start.slice(0, GLANCE))) return false;
  let kinds = 0;
  for (let i = first; i < lines.length; i++) {
    const text = lines[i]!;
    const c = text.charCodeAt(0);
    if (c === 32 || c === 35 || Number.isNaN(c)) continue;
    if (c === 45 ? !/^-(?:[ ]|$|--\s*$)/.test(text.slice(0, 200)) : !TOP_LEVEL.test(text.slice(0, 200))) return false;
    if (c !== 45 && text.startsWith("kind:")) kinds++;
  }
  return kinds > 0;
}

function fillsJson(lines: readonly string[], first: number): boolean {
  let last = lines.length - 1;
  while (last > first && lines[last]!.trim() === "") last--;
  if (!/^\}\s*$/.test(lines[last]!.slice(-GLANCE)) && !(last === first && lines[last]!.trimEnd().endsWith("}")))
    return false;
  const beginning = lines
    .slice(first, first + 3)
    .join("")
    .slice(0, GLANCE);
  if (!/^\{\s*"apiVersion"\s*:\s*"/.test(beginning)) return false;
  // Pretty-printed, every line between the braces is indented.
  for (let i = first + 1; i < last; i++) if (lines[i]!.charCodeAt(0) !== 32) return false;
  return true;
}

const COLUMN = /^[A-Z][A-Z()\- ]{1,30}$/;
const TELLING = /^(?:AGE|STATUS|TYPE|ENDPOINTS|READY|HOSTS|CLUSTER-IP|PORTS?|ADDRESS)\b/;

/** kubectl parts its columns by two blanks or more, so they can be told without a costly pattern. */
const columnsOf = (line: string): readonly string[] => line.trim().split(/ {2,}|\t+/);

function isHeader(line: string): boolean {
  if (!/^NAME(?:SPACE)?\s/.test(line)) return false;
  const columns = columnsOf(line);
  return columns.length > 1 && columns.every((c) => COLUMN.test(c)) && columns.some((c) => TELLING.test(c));
}

/** Some row with an age in it. */
function isRow(line: string): boolean {
  const columns = columnsOf(line);
  return columns.length >= 3 && /^\S/.test(line) && columns.slice(2).some((c) => /^\d+[smhdy](?:\d+[smh])?$/.test(c));
}

const STATUS =
  "Running|Pending|Completed|Error|CrashLoopBackOff|ImagePullBackOff|ErrImagePull|Terminating|ContainerCreating|Init:\\S+|Evicted|Unknown|NodeLost|OOMKilled";
const POD_ROW = new RegExp(String.raw`^(?:\S{1,253}\s+)?(?:pods?\/)?\S{1,253}\s+\d+\/\d+\s+(?:${STATUS})\s+\d+`);
const SERVICE_ROW =
  /^(?:\S{1,253}\s+)?(?:service\/|svc\/)?\S{1,253}\s+(?:ClusterIP|NodePort|LoadBalancer|ExternalName)\s+\S+\s+\S+\s+(?:\S+\/(?:TCP|UDP|SCTP)|<none>)/;
const NODE_ROW = /^(?:node\/)?\S{1,253}\s+(?:Not)?Ready(?:,SchedulingDisabled)?\s+\S+\s+\S+\s+v\d+\.\d+/;
const WORKLOAD_ROW =
  /^(?:\S{1,253}\s+)?(?:deployment|daemonset|replicaset|statefulset|job|cronjob)(?:\.(?:apps|batch))?\/\S+\s+\d/;
export function claimTable(whole: string): Claim {
  const line = whole.slice(0, GLANCE);
  if (isHeader(line)) return "head";
  if (POD_ROW.test(line) || SERVICE_ROW.test(line) || NODE_ROW.test(line) || WORKLOAD_ROW.test(line)) return "line";
  return when(isRow(line), "maybe");
}

const FLANNEL_ENV =
  /^(?:export )?(?:FLANNEL_(?:NETWORK|SUBNET|MTU|IPMASQ|IPV6_NETWORK|IPV6_SUBNET)|DOCKER_(?:OPT_\w+|OPTS|NETWORK_OPTIONS))=/;

export const claimFlannelEnv = (line: string): Claim => when(FLANNEL_ENV.test(line), "line");
