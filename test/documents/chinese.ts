const HAN = "[\\u3400-\\u9fff]";

/** How Chinese is set here, one rule each; what breaks it. */
const RULES: readonly (readonly [rule: string, breaks: RegExp])[] = [
  ["a blank between Chinese and a Latin word or a number", new RegExp(`${HAN}[A-Za-z0-9]|[A-Za-z0-9]${HAN}`)],
  ["punctuation is full-width after Chinese", new RegExp(`${HAN}[,;!?]|${HAN}:(?!\\S)|${HAN}\\.(?:\\s|$)`)],
  ["brackets around Chinese are full-width", new RegExp(`\\([^()]*${HAN}[^()]*\\)`)],
  ["no blank beside full-width punctuation", /[^\s|#>*-]\s+[，。；：、！？（）“”]|[，。；：、！？（）“”] +(?![|`-]|$)/],
  ["the words engineers use: 采集数据, 报文, 回包", /转储|数据包|应答包|回应包|回复包/],
];

/** The rules that a text breaks. What is code (in back quotes) or a parameter is not looked at. */
export const brokenRules = (text: string): readonly string[] => {
  const prose = text
    .replace(/`[^`]*`/g, "`")
    .replace(/\{[^}]*\}/g, "{}")
    .replace(/\]\([^)]*\)/g, "]");
  return RULES.flatMap(([rule, breaks]) => (breaks.test(prose) ? [rule] : []));
};
