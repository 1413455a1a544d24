/** An option of an extension that is kept as iptables-save prints it. */
export interface Option {
  readonly name: string;
  readonly negated: boolean;
  readonly value: string;
}

const FLAGS: ReadonlySet<string> = new Set([
  "--ipvs",
  "--ecn-tcp-cwr",
  "--ecn-tcp-ece",
  "--icase",
  "--kerneltz",
  "--contiguous",
  "--soft",
]);

/** `["--vproto", "6", "!", "--vaddr", "10.0.0.1"]` taken apart. */
export function optionsOf(words: readonly string[]): readonly Option[] {
  const options: Option[] = [];
  let negated = false;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === "!") {
      negated = true;
      continue;
    }
    const value = FLAGS.has(word) ? "" : (words[++i] ?? "");
    options.push({ name: word, negated, value });
    negated = false;
  }
  return options;
}
