export type IpvsOutput = "list" | "connections" | "save" | "timeout" | "other";

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
    if (word === "--timeout") return "timeout";
    if (word === "--daemon") return "other";
    if (/^-[a-zA-Z]*n$/.test(word) && words.length === 2) list = true;
  }
  if (!list) return "other";
  return connections ? "connections" : "list";
}

/** Whether the command asked for one service (`ipvsadm -ln -t 10.0.0.1:80`). */
export const asksForOne = (words: readonly string[] | undefined): boolean =>
  words?.some((w) => /^(?:-[tuf]|--(?:tcp|udp|sctp|fwmark)-service)/.test(w) || /^-[Lln]+[tuf]$/.test(w)) ?? false;
