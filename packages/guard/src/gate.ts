import { Trouble } from "./item.ts";

/**
 * What a case says reaches tools that run as root. Every word of it passes here first: a closed alphabet for its kind, no blank,
 * no control character, no dash at its head.
 */
function checked(kind: string, text: string, alphabet: RegExp, longest: number): string {
  if (text.length > longest || !alphabet.test(text))
    throw new Trouble(`${JSON.stringify(text.slice(0, 80))} is no ${kind}`);
  return text;
}

export const setName = (text: string): string =>
  checked("name of a set", text, /^[!$-&(-,./-[\]-~][!#-&(-[\]-~]*$/, 31);

export const chainName = (text: string): string =>
  checked("name of a chain", text, /^[A-Za-z0-9_.%~@+][A-Za-z0-9_.%~@+:=/-]*$/, 28);

export const tableName = (text: string): string => checked("table", text, /^(?:raw|mangle|nat|filter|security)$/, 8);

export const policyName = (text: string): string => checked("policy", text, /^(?:ACCEPT|DROP)$/, 6);

const CONTROL = /[\0-\x1f\x7f-\x9f\u2028\u2029]/;

/** The words behind `ipset add NAME`: only a comment may hold blanks. */
export const setWords = (words: readonly string[]): readonly string[] =>
  words.map((word, i) =>
    words[i - 1] === "comment" && i > 1
      ? checked("comment", word, /^[^"\0-\x1f\x7f-\x9f]*$/, 255)
      : checked("word of a set's element", word, /^[!$-&(-,./-[\]-~][!#-&(-[\]-~]*$/, 255),
  );

/** A line for `ipset restore`: bytes, so that what is not ASCII stays as it was. */
export function setLine(line: string): string {
  if (/[\0-\x1f\x7f]/.test(line)) throw new Trouble(`${JSON.stringify(line.slice(0, 80))} is no line`);
  return line;
}

/** A line for iptables-restore: never two, and never the option that names a program to run (`-M`, `--modprobe`). */
export function ruleLine(line: string): string {
  const outside = line.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  if (CONTROL.test(line) || /(?:^|\s)(?:-M|--mo)/.test(outside))
    throw new Trouble(`${JSON.stringify(line.slice(0, 80))} is no line of a rule`);
  return line;
}

/** A word of `ip`, whose arguments are words of its own grammar. */
export const ipWord = (text: string): string =>
  checked("word of ip", text, /^-[46]$|^[A-Za-z0-9_.:@+/%][A-Za-z0-9_.:@+/%,-]*$/, 64);
