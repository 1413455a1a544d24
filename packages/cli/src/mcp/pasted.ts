import { text } from "@hairpin/core/messages/index.ts";
import type { CaseInput } from "@hairpin/core/parse/index.ts";
import type { Pasted } from "@hairpin/mcp/index.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { printable } from "../report/style.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/;

/** Output that was pasted, as the terminal session that it is: the command above it, in the folder of its node or by way of its pod. */
export const pastedInputs = (pasted: readonly Pasted[]): readonly CaseInput[] =>
  pasted.map(({ command, output, node }, i) => {
    const names = node?.split("/") ?? [];
    const odd = names.find((n) => !NAME.test(n));
    if (odd !== undefined || names.length > 2)
      throw new Failure(EXIT.usage, text("error.pasted-node", { name: JSON.stringify(node) }));
    const typed = printable(command).trim();
    const [namespace, pod] = names;
    const line = pod === undefined ? typed : `kubectl exec -n ${namespace} ${pod} -- ${typed}`;
    const folder = names.length === 1 ? `nodes/${names[0]}/` : "";
    return { path: `${folder}pasted-${i + 1}.txt`, text: `$ ${line}\n${output}\n` };
  });
