/** A bundle that cannot be read. The message is for people. */
export class BadBundle extends Error {}
