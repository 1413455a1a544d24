import fc from "fast-check";

/**
 * fast-check with draws that are the same in every run: what a commit's tests say depends on the commit alone. HAIRPIN_SEED=NUMBER draws
 * others; `npm run fuzz` and `npm run soak` look for what has not been drawn yet.
 */
fc.configureGlobal({ seed: Number(process.env.HAIRPIN_SEED ?? 20261116) });

export { fc };
