import type { Lang } from "@hairpin/core/messages/index.ts";

/** What commander says of a command line it cannot read, as far as it ever says something here. */
const IN_CHINESE: readonly (readonly [RegExp, string])[] = [
  [
    /^option '([^']*)' argument '([^']*)' is invalid\. Allowed choices are (.*)\.$/,
    "选项 $1 的值 $2 无效，可用的值：$3。",
  ],
  [
    /^command-argument value '([^']*)' is invalid for argument '([^']*)'\. Allowed choices are (.*)\.$/,
    "参数 $2 的值 $1 无效，可用的值：$3。",
  ],
  [/^option '([^']*)' argument missing$/, "选项 $1 缺少值"],
  [/^missing required argument '([^']*)'$/, "缺少参数 $1"],
  [/^required option '([^']*)' not specified$/, "缺少选项 $1"],
  [/^unknown option '([^']*)'$/, "未知的选项 $1"],
  [/^unknown command '([^']*)'$/, "未知的命令 $1"],
  [/^too many arguments(?: for '([^']*)')?\..*$/, "参数过多"],
  [/^\(Did you mean (?:one of )?(.*)\?\)$/, "（是否指 $1？）"],
];

/** An error of usage in that language, line by line. */
export function usageError(said: string, lang: Lang): string {
  if (lang === "en") return said;
  return said
    .split("\n")
    .map((line) => {
      const [pattern, chinese] = IN_CHINESE.find(([p]) => p.test(line)) ?? [];
      return pattern === undefined ? line : line.replace(pattern, chinese!);
    })
    .join("\n");
}
