export interface DocumentCommand {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly args: readonly string[];
  /** What the remark behind it says: `# exit status 1`. */
  readonly status: number | undefined;
  /** What a trial (`--try`) comes to: `# with it: reachable`. */
  readonly withIt: string | undefined;
}

/** Words of a line of shell as far as documents use it: quotes, and what a pipe, a redirection or a remark cuts off. */
export function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  for (const [whole, single, double] of line.matchAll(/'([^']*)'|"([^"]*)"|[^\s'"]+/g)) {
    if (/^(?:#|\||>|&&|;)/.test(whole)) break;
    words.push(single ?? double ?? whole);
  }
  return words;
}

/** The lines of `sh` fences of a Markdown file that call hairpin, with a shell's continuation lines joined. */
export function commandsOf(file: string, text: string): readonly DocumentCommand[] {
  const found: DocumentCommand[] = [];
  let inside = false;
  text.split("\n").forEach((line, i) => {
    if (/^\s*```/.test(line)) {
      inside = /^\s*```sh\s*$/.test(line);
      return;
    }
    const called = /^\s*(?:sudo )?(?:\.\/)?hairpin(?:\s+(.*))?$/.exec(line);
    if (!inside || called === null) return;
    const status = /#.*exit status (\d+)/.exec(line)?.[1];
    found.push({
      file,
      line: i + 1,
      text: line.trim(),
      args: wordsOf(called[1] ?? ""),
      status: status === undefined ? undefined : Number(status),
      withIt: /#.*with it: ([a-z]+)/.exec(line)?.[1],
    });
  });
  return found;
}
