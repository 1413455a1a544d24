export { LANGS, type Lang, type MessageId, type Param, say, type Text, text } from "./text.ts";
