/** A question, an assumption or a patch that cannot be taken as it was typed. The message is for people. */
export class BadRequest extends Error {
  /** The option it is about, without its dashes. */
  readonly option: string | undefined;

  constructor(message: string, option?: string) {
    super(message);
    this.option = option;
  }
}
