import { type Lang, say, text } from "@hairpin/core/messages/index.ts";
import { createContext } from "preact";
import { useContext } from "preact/hooks";

export const Language = createContext<Lang>("en");

/** Says texts of the catalogue in the page's language. */
export function useSay(): (of: ReturnType<typeof text>) => string {
  const lang = useContext(Language);
  return (of) => say(of, lang);
}

/** What stands in dumps, as it may be shown: JSX escapes markup, not characters that hide or turn text. */
export { printable as visible } from "@hairpin/core/messages/printable.ts";
export { text };
