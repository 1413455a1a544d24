import { type Ground, groundId } from "../../model/index.ts";
import type { Exploration } from "../explore/branch.ts";

/** All that any branch rests on although nobody showed it, once. */
export const groundsOf = ({ branches }: Exploration): readonly Ground[] => [
  ...new Map(branches.flatMap((b) => b.grounds).map((g) => [groundId(g), g])).values(),
];

/** Whether all that fails is the first datagram, from which its sender learns of the path: that the next arrives rests on what `reachable` would. */
export const failsOnceOnly = ({ branches }: Exploration): boolean =>
  branches.every((b) => b.clientSees === "connected" || b.chances.some(({ what }) => what.endsWith("/datagram")));
