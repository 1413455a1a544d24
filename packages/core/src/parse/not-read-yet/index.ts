import type { Dialect } from "../dialect.ts";
import { dialects as change } from "./change.ts";
import { dialects as comparison } from "./comparison.ts";
import { dialects as flannel } from "./flannel.ts";
import { dialects as kubernetes } from "./kubernetes.ts";
import { dialects as listing } from "./listing.ts";

/** Dialects that are recognised so that they are not taken for something else, and that a later version reads. */
export const dialects: readonly Dialect[] = [...kubernetes, ...flannel, ...listing, ...comparison, ...change];
