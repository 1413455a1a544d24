export type IpsetOutput = "list" | "save" | "xml" | "names" | "other";

/** What `ipset …` prints, from its words. Commands may be shortened (`ipset l`) or in the old form (`ipset -L`). */
export function asksFor(words: readonly string[]): IpsetOutput {
  if (!/(?:^|\/)ipset$/.test(words[0] ?? "")) return "other";
  let command: IpsetOutput | undefined;
  let output: string | undefined;
  let names = false;
  for (let i = 1; i < words.length; i++) {
    const word = words[i]!;
    if (word === "-o" || word === "-output" || word === "--output") output = words[++i];
    else if (word === "-f" || word === "-file" || word === "--file") i++;
    else if (word === "-n" || word === "-name" || word === "--name") names = true;
    else if (command === undefined) {
      if (word === "-L" || /^(?:--?)?l(?:i|is|ist)?$/.test(word)) command = "list";
      else if (word === "-S" || /^(?:--?)?s(?:a|av|ave)$/.test(word)) command = "save";
      else if (!word.startsWith("-")) return "other";
    }
  }
  if (command === "list" && output === "save") return "save";
  if (command === "list" && (output === "xml" || output === "json")) return "xml";
  return command === "list" && names ? "names" : (command ?? "other");
}
