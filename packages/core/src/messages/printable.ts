/** What a terminal, an editor or a reviewer would take for more than text: C0 and C1 controls, marks of direction or of no width. */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/** The colours that this program uses itself (report/style.ts), and no others. */
const OWN_STYLE = /\u001b\[(?:1|2|22|31|32|33|36|39)m/g;

/**
 * All that goes to standard output or error passes here last, so that nothing from outside acts on a terminal wherever a report
 * forgot to clean it. Line ends, tabs and the program's own colours stay.
 */
export function safeText(text: string, styled: boolean): string {
  if (!styled) return text.replace(UNSAFE, "·");
  const own = text.match(OWN_STYLE) ?? [];
  return text
    .split(OWN_STYLE)
    .map((part, i) => part.replace(UNSAFE, "·") + (own[i] ?? ""))
    .join("");
}

const escaped = (unsafe: string): string =>
  Array.from({ length: unsafe.length }, (_, i) => `\\u${unsafe.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");

/** JSON that says what it says in characters that only show: the rest stands as \uXXXX, and reads back as it was. */
export const jsonText = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, null, indent) ?? "null").replace(UNSAFE, escaped);

/**
 * Text of a dump made safe to show: escape sequences and other control characters could move a cursor, change a title or hide
 * what stands above; marks that turn the direction of writing or take no room make a line read as another. Tabs become
 * blanks so that carets stay under what they point to.
 */
export const printable = (text: string): string =>
  text
    .replace(/\t/g, " ")
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, "·")
    .replace(/[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu, "·");
