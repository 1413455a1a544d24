import type { Source } from "../../source.ts";
import { type ShellCommand, shellCommands } from "./shell.ts";

/** A command of a script, with the way back from its columns to the file. */
export interface ScriptCommand extends ShellCommand {
  readonly index: number;
  readonly locate: (column: number) => { readonly index: number; readonly column: number };
}

/** The commands of a script; lines that end in a backslash go on in the next one. */
export function scriptCommands(source: Source): readonly ScriptCommand[] {
  const commands: ScriptCommand[] = [];
  const { lines } = source;
  for (let i = 0; i < lines.length; i++) {
    const first = i;
    const pieces: { readonly offset: number; readonly index: number }[] = [{ offset: 0, index: i }];
    let text = lines[i]!;
    if (text.endsWith("\\")) {
      const joined: string[] = [];
      let offset = 0;
      for (; i < lines.length; i++) {
        const line = lines[i]!;
        if (i > first) pieces.push({ offset, index: i });
        const goesOn = line.endsWith("\\") && i + 1 < lines.length;
        const part = line.endsWith("\\") ? `${line.slice(0, -1)} ` : line;
        joined.push(part);
        offset += part.length;
        if (!goesOn) break;
      }
      text = joined.join("");
    }
    const locate = (column: number) => {
      let low = 0;
      let high = pieces.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (pieces[middle]!.offset <= column) low = middle;
        else high = middle - 1;
      }
      const piece = pieces[low]!;
      return { index: piece.index, column: column - piece.offset };
    };
    for (const command of shellCommands(text)) commands.push({ ...command, index: first, locate });
  }
  return commands;
}
