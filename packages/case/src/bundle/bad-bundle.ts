import { ToldError } from "@hairpin/core/messages/index.ts";

/** A bundle that cannot be read. */
export class BadBundle extends ToldError {}
