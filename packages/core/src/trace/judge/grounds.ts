import { type Ground, groundId } from "../../model/index.ts";
import type { Exploration } from "../explore/branch.ts";

/** All that any branch rests on although nobody showed it, once. */
export const groundsOf = ({ branches }: Exploration): readonly Ground[] => [
  ...new Map(branches.flatMap((b) => b.grounds).map((g) => [groundId(g), g])).values(),
];
