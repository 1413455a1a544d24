export * from "./events/index.ts";
export { LANGS, type Lang, type MessageId, type Param, say, sayAny, type Text, text, verbatim } from "./text.ts";
