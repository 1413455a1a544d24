import { frame } from "./frame.ts";
import { lessonsIpv6 } from "./ipv6.ts";
import { lessonsLink } from "./link.ts";
import { lessonsNetfilter } from "./netfilter.ts";
import { lessonsRouting } from "./routing.ts";
import { lessonsService } from "./service.ts";

/** What `hairpin explain` says, a file for each part of the datapath. */
export const lessons = {
  ...frame,
  ...lessonsIpv6,
  ...lessonsLink,
  ...lessonsNetfilter,
  ...lessonsRouting,
  ...lessonsService,
} as const;
