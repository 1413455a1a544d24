/** The rules every kernel starts with stand in every look-up and explain none. */
const EVERYBODYS = /: \d+:\s+from all lookup (?:local|main|default)\s*$/;

/** Evidence that tells something before what stands in every dump. */
export const tellingFirst = (lines: readonly string[]): readonly string[] => [
  ...lines.filter((l) => !EVERYBODYS.test(l)),
  ...lines.filter((l) => EVERYBODYS.test(l)),
];
