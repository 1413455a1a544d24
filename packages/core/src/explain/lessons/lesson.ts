import type { PictureId } from "../../messages/pictures.ts";
import type { Certainty } from "../cause.ts";

/** Where the fault lies; the list of causes is ordered by it. */
export const ROOMS = [
  "routing",
  "netfilter",
  "conntrack",
  "service",
  "ipvs",
  "link",
  "ipv6",
  "network",
  "limits",
] as const;
export type Room = (typeof ROOMS)[number];

/** What is taught of a cause beside its sentences, which stand in `messages`. */
export interface Lesson {
  readonly room: Room;
  /** Functions of the kernel that decide it, the one that drops first. */
  readonly kernel: readonly string[];
  /** Commands on a node that show it; words in capitals are to be filled in. They read and change nothing. */
  readonly see: readonly string[];
  readonly picture: PictureId;
  /** The most certain that it can be claimed. */
  readonly surest: Certainty;
}
