const LEFT_OUT = "[Ss]nip(?:ped|pet)?|SNIP|(?:[Oo]utput )?[Oo]mitted|OMITTED|[Tt]runcated|TRUNCATED|省略|略";
/** Words that may as well begin a sentence, or be somebody's name. */
const ALSO = `${LEFT_OUT}|[Cc]ut|CUT|[Ss]kipped|[Mm]ore|MORE`;

const FORMS: readonly RegExp[] = [
  // Nothing that a tool prints begins with dots.
  /^[\s[<({*#-]{0,6}(?:\.{2,}|…)/,
  // `[snip]`, `<cut 20 lines>`, `--More--`
  new RegExp(`^\\s*(?:[[<({]|-{2})[\\s-]{0,6}(?:${ALSO})(?![a-z\\d_]).{0,40}$`),
  // `(12 lines omitted)`
  new RegExp(`^\\s*[[<({][^\\])>}]{0,40}(?:${LEFT_OUT})[^\\])>}]{0,40}[\\])>}]\\s*$`),
  // `omitted for brevity`, `# truncated`, and not a row of a table that begins so
  new RegExp(`^[\\s#*]{0,6}(?:${LEFT_OUT})(?![\\w-])[a-z .,:!…\\u3000-\\u9fff]{0,40}$`),
  new RegExp(`^\\s{0,6}(?:${ALSO})(?![\\w-])[a-z .,:!…]{0,40}$`),
  /^\s*(?:\*\s*){3,}$/,
  // grep
  /^--$/,
];

/** `...`, `[SNIP!]`, `…省略…`, grep's `--`: something was left out here, so what is shown is part of a whole. */
export const isEllipsis = (text: string): boolean => text.length < 120 && FORMS.some((form) => form.test(text));
