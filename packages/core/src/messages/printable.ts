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
