import { isTypedCommand } from "./prompt.ts";

const isComment = (text: string): boolean => /^\s*(?:#|\/\/|;)/.test(text);

const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef\u3000-\u303f]/;
const TECHNICAL = /^(?:-{1,2}[A-Za-z]|.*[\d=|<>[\]{}_/\\@]|.*:.)/;

/** `More words.`, `Node A:`, `Before:`; one lone word is rather damage than a sentence. */
const SHORT_REMARK =
  /^(?:[A-Z]?[a-z]{1,20} [A-Za-z]{1,20}[.:!?]|(?:before|after|outputs?|results?|nodes?|server|client|routes?|rules|notes?|now|then|here|conclusion|summary|solution|problem|symptom|environment)\s?[:：.]?)$/i;

/**
 * Whether a line reads as a sentence rather than as damaged tool output. Sentences are passed over; anything else that
 * stands in a dump and is not understood must be said.
 */
function isProse(text: string): boolean {
  const line = text.trim().slice(0, 1000);
  if (line === "") return true;
  if (CJK.test(line)) return true;
  if (/^https?:\/\/\S+$/.test(line)) return true;
  const words = line.split(/\s+/);
  if (words.length < 3) return SHORT_REMARK.test(line);
  const technical = words.filter((w) => TECHNICAL.test(w)).length;
  return technical / words.length <= 0.3 && /[a-z]{2}/.test(line);
}

/** A remark of the author, a sentence, or a command typed without a prompt: nothing a tool printed. */
export const isRemark = (text: string): boolean =>
  isComment(text) || isProse(text) || isTypedCommand(text.trim()) || text.trim() === "^C";
