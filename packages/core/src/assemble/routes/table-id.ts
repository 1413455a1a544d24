import { TABLE_DEFAULT, TABLE_LOCAL, TABLE_MAIN } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";

const NAMED: Readonly<Record<string, number>> = lookup({
  local: TABLE_LOCAL,
  main: TABLE_MAIN,
  default: TABLE_DEFAULT,
});

/** A table's number where its name has a fixed one; other names of /etc/iproute2/rt_tables stay names. */
export const tableId = (id: number | string): number | string => {
  if (typeof id === "number") return id;
  if (Object.hasOwn(NAMED, id)) return NAMED[id]!;
  return /^\d{1,10}$/.test(id) ? Number(id) : id;
};
