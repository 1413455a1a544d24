/** Set by the build; running from source has no version of its own. */
declare const HAIRPIN_VERSION: string | undefined;

export const VERSION: string = typeof HAIRPIN_VERSION === "string" ? HAIRPIN_VERSION : "0.0.0-source";
