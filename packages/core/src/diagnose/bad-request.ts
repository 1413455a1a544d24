/** A question, an assumption or a patch that cannot be taken as it was typed. The message is for people. */
export class BadRequest extends Error {}
