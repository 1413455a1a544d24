export { diagnosticText } from "./diagnostic-text.ts";
export { type CountNoun, type Counts, countsText, dumpTitle, notReadText } from "./dump-text.ts";
export * from "./events/index.ts";
export { figure, percent } from "./figure.ts";
export { originText } from "./origin-text.ts";
export {
  LANGS,
  type Lang,
  MARKS,
  type MessageId,
  type Param,
  say,
  sayAny,
  sayTemplate,
  type Text,
  text,
  verbatim,
} from "./text.ts";
export { ToldError } from "./told-error.ts";
