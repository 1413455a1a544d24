export type IpvsOutput = "list" | "connections" | "save" | "other";

/** What `ipvsadm …` prints, from its words; without a command it lists. */
export function asksFor(words: readonly string[]): IpvsOutput {
  const name = words[0]?.replace(/^.*\//, "");
  if (name === "ipvsadm-save") return "save";
  if (name !== "ipvsadm") return "other";
  let list = words.length === 1;
  let connections = false;
  for (let i = 1; i < words.length; i++) {
    const word = words[i]!;
    if (word === "--save" || /^-[a-zA-Z0-9]*S/.test(word)) return "save";
    if (word === "--list" || /^-[a-zA-Z0-9]*[Ll]/.test(word)) list = true;
    if (word === "--connection" || (/^-[a-zA-Z0-9]*c/.test(word) && !word.startsWith("--"))) connections = true;
    if (word === "--timeout" || word === "--daemon") return "other";
    if (/^-[a-zA-Z]*n$/.test(word) && words.length === 2) list = true;
  }
  if (!list) return "other";
  return connections ? "connections" : "list";
}
