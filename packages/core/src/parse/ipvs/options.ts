export interface Word {
  readonly text: string;
  readonly column: number;
}

/** An option by its long name. */
export interface Option {
  readonly name: string;
  readonly value?: string;
  readonly text: string;
  readonly column: number;
}

export interface OptionProblem extends Word {
  readonly message: string;
}

/** `none`, `one` value, or one that may be left out. */
const ARGUMENTS = new Map<string, { readonly name: string; readonly takes: "none" | "one" | "maybe" }>();
const SHORT = new Map<string, string>();
for (const [letter, name, takes] of [
  ["A", "add-service", "none"],
  ["E", "edit-service", "none"],
  ["D", "delete-service", "none"],
  ["C", "clear", "none"],
  ["a", "add-server", "none"],
  ["e", "edit-server", "none"],
  ["d", "delete-server", "none"],
  ["L", "list", "none"],
  ["l", "list", "none"],
  ["S", "save", "none"],
  ["R", "restore", "none"],
  ["Z", "zero", "none"],
  ["", "set", "none"],
  ["", "start-daemon", "one"],
  ["", "stop-daemon", "one"],
  ["t", "tcp-service", "one"],
  ["u", "udp-service", "one"],
  ["", "sctp-service", "one"],
  ["f", "fwmark-service", "one"],
  ["s", "scheduler", "one"],
  ["p", "persistent", "maybe"],
  ["M", "netmask", "one"],
  ["", "pe", "one"],
  ["b", "sched-flags", "one"],
  ["r", "real-server", "one"],
  ["g", "gatewaying", "none"],
  ["i", "ipip", "none"],
  ["m", "masquerading", "none"],
  ["", "tun-type", "one"],
  ["", "tun-port", "one"],
  ["", "tun-nocsum", "none"],
  ["", "tun-csum", "none"],
  ["", "tun-remcsum", "none"],
  ["w", "weight", "one"],
  ["x", "u-threshold", "one"],
  ["y", "l-threshold", "one"],
  ["n", "numeric", "none"],
  ["c", "connection", "none"],
  ["6", "ipv6", "none"],
  ["o", "ops", "none"],
  ["X", "exact", "none"],
  ["", "syncid", "one"],
  ["", "sync-maxlen", "one"],
  ["", "mcast-interface", "one"],
  ["", "mcast-group", "one"],
  ["", "mcast-port", "one"],
  ["", "mcast-ttl", "one"],
] as const) {
  ARGUMENTS.set(name, { name, takes });
  if (letter !== "") SHORT.set(letter, name);
}

/** Reads options as popt does: long, short, several short ones in one word, values attached or apart. */
export function scanOptions(words: readonly Word[]): { readonly options: readonly Option[] } | OptionProblem {
  const options: Option[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const next = words[i + 1];
    const take = (name: string, attached: string | undefined): boolean => {
      const takes = ARGUMENTS.get(name)!.takes;
      const loose = takes === "none" || attached !== undefined ? undefined : next;
      const usable = loose !== undefined && (takes === "one" || !loose.text.startsWith("-"));
      const value = takes === "none" ? undefined : (attached ?? (usable ? loose.text : undefined));
      if (takes === "one" && value === undefined) return false;
      const column = usable ? loose.column : word.column;
      options.push({ name, text: word.text, column, ...(value === undefined ? {} : { value }) });
      if (usable) i++;
      return true;
    };
    if (word.text.startsWith("--")) {
      const equals = word.text.indexOf("=");
      const name = word.text.slice(2, equals < 0 ? undefined : equals);
      if (!ARGUMENTS.has(name)) return { ...word, message: "is not an option of ipvsadm" };
      if (!take(name, equals < 0 ? undefined : word.text.slice(equals + 1)))
        return { ...word, message: "lacks its value" };
    } else if (word.text.startsWith("-") && word.text.length > 1) {
      const found = cluster(word, take);
      if (found !== undefined) return found;
    } else if (!options.some((o) => o.name === "set")) return { ...word, message: "is not expected here" };
  }
  return { options };
}

function cluster(word: Word, take: (name: string, attached: string | undefined) => boolean): OptionProblem | undefined {
  for (let j = 1; j < word.text.length; j++) {
    const name = SHORT.get(word.text[j]!);
    if (name === undefined) return { ...word, message: "is not an option of ipvsadm" };
    const rest = word.text.slice(j + 1);
    const valued = ARGUMENTS.get(name)!.takes !== "none";
    if (!take(name, valued && rest !== "" ? rest : undefined)) return { ...word, message: "lacks its value" };
    if (valued) return undefined;
  }
  return undefined;
}
