import type { Claim } from "../dialect.ts";
import { isTool, tool, when } from "../not-read-yet/not-read-yet.ts";

/** klog: `I0612 10:20:30.123456    1 main.go:89] text`. */
const KLOG = /^(?:\S{1,80}\s+)?[IWEF]\d{4} (?:\d\d:\d\d:\d\d\.\d{3,6}\s+\d+ )?[\w./-]{1,120}:\d+\] /;
const LOGRUS = /^(?:\S{1,80}\s+)?time="[^"]{10,40}" level=\w+ /;
const SYSLOG = /^\w{3}\s+\d{1,2} \d\d:\d\d:\d\d \S{1,80} [\w./()-]{1,80}(?:\[\d+\])?: /;
const JOURNAL = /^\d{4}-\d\d-\d\dT\S{8,32} \S{1,80} [\w.@/()-]{1,80}\[\d+\]: /;
const CRI = /^\d{4}-\d\d-\d\dT\S{8,32} (?:stdout|stderr) [FP] /;
const ISO =
  /^(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?)\s+(?:\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|TRACE|info|warn|error|debug|level)\b|\S{1,120}\s*\[?(?:INFO|WARN|WARNING|ERROR|DEBUG)\b)/;
const JSON_LOG = /^\{"(?:ts|time|level|msg|log|severity|timestamp)":/;
/** Weave's own: `WARN: 2023/05/02 09:12:51.220013 text`; Cilium's monitor: `xx drop (Policy denied) flow …`. */
const PLUGINS = /^(?:(?:INFO|WARN|ERRO|DEBU|FATA): \d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d|xx drop \()/;
const UNIT = /^(?:● \S+\.(?:service|socket|timer)|\s+(?:Loaded|Active|Main PID|CGroup|Docs|Process|Tasks|Memory): )/;

/** A claim must not cost more than a glance, however long the line. */
const GLANCE = 2000;

export function claim(full: string): Claim {
  const line = full.slice(0, GLANCE);
  if (KLOG.test(line) || LOGRUS.test(line) || JSON_LOG.test(line) || ISO.test(line) || PLUGINS.test(line))
    return "line";
  if (UNIT.test(line) || CRI.test(line) || (JOURNAL.test(line) && !/ kernel: /.test(line))) return "line";
  return SYSLOG.test(line) && !/ kernel: /.test(line) ? "line" : when(/^\s+\S/.test(line), "maybe");
}

const RUNTIMES = isTool("docker", "crictl", "podman", "nerdctl", "kubectl", "oc", "k", "microk8s.kubectl");

export const printsServiceLog = (words: readonly string[]): boolean =>
  (isTool("journalctl")(words) && !words.some((w) => w === "--dmesg" || /^-[a-zA-Z]*k$/.test(w))) ||
  (RUNTIMES(words) && words.includes("logs")) ||
  (tool(words) === "systemctl" && words.includes("status"));
