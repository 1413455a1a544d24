import { type Text, ToldError } from "../messages/index.ts";

/** A question, an assumption or a patch that cannot be taken as it was typed. */
export class BadRequest extends ToldError {
  /** The option it is about, without its dashes. */
  readonly option: string | undefined;

  constructor(said: string | Text | readonly (string | Text)[], option?: string) {
    super(said);
    this.option = option;
  }
}
