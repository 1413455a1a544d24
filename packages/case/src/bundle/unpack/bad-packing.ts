import { text } from "@hairpin/core/messages/index.ts";
import { BadBundle } from "../bad-bundle.ts";

/** Packed bytes that do not follow their format. */
export const damaged = (format: string, what: string): BadBundle =>
  new BadBundle(text("error.bundle-damaged", { format, what }));

export const cutShort = (format: string): BadBundle => new BadBundle(text("error.bundle-cut-within", { format }));

/** What a well-made bundle does not need, and a hostile one could ask for. */
export const refused = (what: string): BadBundle => new BadBundle(what);
