import { createHash } from "node:crypto";
import { hostname, userInfo } from "node:os";

/** On every pod of ours: which run made it. */
export const OWNER_LABEL = "hairpin-run";

/** This machine and user, as a label may say it without telling who they are. */
const here = (): string => createHash("sha256").update(`${hostname()}\0${userInfo().uid}`).digest("hex").slice(0, 12);

export const ownerHere = (): string => `${here()}.${process.pid}`;

/** A run on this machine that is over cannot clear up any more. Of other machines' runs nobody here knows. */
export function isForsaken(owner: string): boolean {
  const [where, pid = ""] = owner.split(".");
  if (where !== here() || !/^\d{1,10}$/.test(pid)) return false;
  if (Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
