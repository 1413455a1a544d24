import { run } from "@hairpin/collect/index.ts";
import type { CommandTree } from "../shell/tree.ts";

/** What cobra's completion is told beside the words: no file names; no blank after the word, either. */
const NO_FILES = ":4";
const NO_FILES_NO_SPACE = ":6";

type Names = (args: readonly string[]) => Promise<readonly string[]>;

const fromKubectl: Names = async (args) => {
  const { status, out } = await run("kubectl", args, { seconds: 5 });
  return status === 0
    ? out
        .toString("utf8")
        .split("\n")
        .filter((l) => l !== "")
    : [];
};

/** What `kubectl_complete-hairpin` prints for the words so far: candidates with a remark each, and cobra's directive. */
export async function completed(
  tree: CommandTree,
  words: readonly string[],
  names: Names = fromKubectl,
): Promise<string> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const command = tree.commands.find((c) => c.name === before.find((w) => !w.startsWith("-")));
  const answer = (list: readonly (readonly [string, string])[], directive = NO_FILES): string =>
    [
      ...list.filter(([word]) => word.startsWith(current)).map(([w, text]) => (text === "" ? w : `${w}\t${text}`)),
      directive,
      "",
    ].join("\n");
  const plain = (list: readonly string[]) => list.map((w) => [w, ""] as const);

  if (command === undefined && !current.startsWith("-")) return answer(tree.commands.map((c) => [c.name, c.summary]));
  const options = command?.options ?? [];
  const last = before.at(-1) ?? "";
  const wanting = options.find((o) => o.operand !== undefined && o.flags.includes(last));
  const globals = before.flatMap((w, i) =>
    w === "--context" || w === "--kubeconfig" ? [`${w}=${before[i + 1] ?? ""}`] : [],
  );
  if (wanting !== undefined) {
    if (wanting.choices.length > 0) return answer(plain(wanting.choices));
    if (wanting.flags.includes("--namespace"))
      return answer(
        plain((await names([...globals, "get", "namespaces", "-o", "name"])).map((n) => n.replace(/^namespace\//, ""))),
      );
    if (wanting.flags.includes("--context"))
      return answer(plain(await names(["config", "get-contexts", "-o", "name"])));
    return ":0\n";
  }
  if (current.startsWith("-")) return answer(options.flatMap((o) => o.flags.map((f) => [f, o.text] as const)));
  const kind = /^(pod|svc|node)\//.exec(current)?.[1];
  if (kind === undefined) return answer(plain(["pod/", "svc/", "node/", "external"]), NO_FILES_NO_SPACE);
  const at = before.findIndex((w) => w === "-n" || w === "--namespace");
  const namespace = at < 0 || kind === "node" ? [] : ["-n", before[at + 1] ?? ""];
  const found = await names([...globals, ...namespace, "get", kind, "-o", "name"]);
  return answer(plain(found.map((n) => n.replace(/^service\//, "svc/"))));
}
