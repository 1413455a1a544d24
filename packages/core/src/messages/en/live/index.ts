/** What `hairpin live` and `hairpin collect --kubectl` say while they read a cluster. */
export const live = {
  "live.no-pods": "pods cannot be listed: {why}",
  "live.no-nodes": "nodes cannot be listed: {why}",
  "live.removed-left": "removed, left over from an earlier run: {pods}",
  "live.through-pod": "through pod {pod}",
  "live.own-pod": "through a pod of Hairpin's own (image {image})",
  "live.without-pods": "{why}; without the namespaces of pods",
  "live.exec-ended": "{pod}: kubectl exec ended with {status}: {why}",
  "live.not-linux": "runs {system}",
  "live.objects": "objects: {seconds} s",
  "live.reads": "reads {nodes}",
  "live.goes-on": "the walk goes on to {nodes}",
  "live.read": "read in {seconds} s",
  "live.not-read": "not read: {why}",
  "live.objects-only":
    "No node was read: the answer goes as far as objects go. `hairpin live --can-i` says what is missing.",
  "live.kept": "kept: {file}",
  "live.times": "objects {objects} s, nodes {nodes} s, answer {answer} s",
  "live.can": "may",
  "live.cannot": "may not",
  "live.can-unknown": "no answer",
  "live.in-all": "in all namespaces",
  "live.in-namespace": "in {namespace}",
  "live.may-all": "Objects and nodes can be read.",
  "live.may-objects":
    "Objects can be read, nodes cannot: `hairpin live` answers as far as objects go, or through a privileged pod that is there.",
  "live.may-not": "Not all objects can be read: what is missing is taken as not shown.",
} as const;
