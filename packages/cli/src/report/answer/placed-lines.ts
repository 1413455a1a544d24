import { type Lang, say, text } from "@hairpin/core/messages/index.ts";
import type { Stack } from "@hairpin/core/model/index.ts";
import { shellWord } from "@hairpin/core/model/shell.ts";
import { append } from "@hairpin/core/net/append.ts";
import type { PlacedLine } from "@hairpin/core/remedy/index.ts";

/** Lines that can be pasted: a comment says on which machine, and what a pod's namespace is meant for enters it. */
export function pasteable(lines: readonly PlacedLine[], stacks: readonly Stack[], lang: Lang): readonly string[] {
  const out: string[] = [];
  let last: string | undefined;
  for (const { stack, line } of lines) {
    const found = stacks.find((s) => s.name === stack);
    if (stack !== last) append(out, headOf(stack, found, lang));
    last = stack;
    out.push(found?.kind === "pod" ? `nsenter -t "$PID" -n ${oneCommand(line)}` : line);
  }
  return out;
}

/** A pipe would leave the namespace behind its first command. */
const oneCommand = (line: string): string => (/[|;&]/.test(line) ? `sh -c ${shellWord(line)}` : line);

function headOf(stack: string, found: Stack | undefined, lang: Lang): readonly string[] {
  if (stack === "") return [];
  if (found?.kind !== "pod") return [say(text("terminal.on-stack", { stack }), lang)];
  const where =
    found.node === undefined
      ? text("terminal.in-pod-somewhere", { pod: stack })
      : text("terminal.in-pod", { node: found.node, pod: stack });
  return [say(where, lang), `PID=$(${pidOf(stack)})`];
}

/** The process that holds a pod's network namespace, as the container runtime knows it. */
function pidOf(pod: string): string {
  const [namespace, name] = pod.includes("/") ? pod.split("/", 2) : [undefined, pod];
  const within = namespace === undefined ? "" : ` --namespace ${shellWord(namespace)}`;
  return `crictl inspectp --output go-template --template '{{.info.pid}}' $(crictl pods -q --state Ready${within} --name ${shellWord(name!)})`;
}
