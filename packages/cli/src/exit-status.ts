import { type Text, ToldError } from "@hairpin/core/messages/index.ts";
/** Exit statuses beside those of the answers (0, 1, 2): as in sysexits.h, so that scripts can tell them apart. */
export const EXIT = {
  usage: 64,
  badData: 65,
  noInput: 66,
  unavailable: 69,
  internal: 70,
  cannotWrite: 74,
  /** As a shell says it of SIGINT. */
  interrupted: 130,
} as const;

/** Ends the command with a message for people and a status for scripts. */
export class Failure extends ToldError {
  readonly status: number;
  constructor(status: number, said: string | Text | readonly (string | Text)[]) {
    super(said);
    this.name = "Failure";
    this.status = status;
  }
}
