import { BadBundle } from "../bad-bundle.ts";

/** Packed bytes that do not follow their format. */
export const damaged = (format: string, what: string): BadBundle =>
  new BadBundle(`it is damaged: not the ${format} format (${what})`);

export const cutShort = (format: string): BadBundle =>
  new BadBundle(`it is cut short in the middle of its ${format} data: get it again, what is missing cannot be known`);

/** What a well-made bundle does not need, and a hostile one could ask for. */
export const refused = (what: string): BadBundle => new BadBundle(what);
