import type { Lang } from "@hairpin/core/messages/index.ts";
import type { Command } from "commander";
import type { Style } from "../report/style.ts";

/** What a command may use of the world outside. `finish` sets the exit status and lets output drain. */
export interface Surface {
  readonly write: (text: string) => void;
  /** For long texts: on a terminal that is too small for it, through the pager. */
  readonly page: (text: string) => void;
  readonly complain: (text: string) => void;
  readonly style: Style;
  /** Columns of the terminal; absent where there is none, and then nothing is cut. */
  readonly width?: number;
  /** Its lines. */
  readonly height?: number;
  /** Where no option says it. */
  readonly lang: Lang;
  readonly finish: (status: number) => void;
}

/** One command of the command line: one file, which adds it to the program. */
export type Register = (program: Command, surface: Surface) => void;
