import { assumed, type IpSet, type SetEntry } from "../../model/index.ts";
import type { Source } from "../source.ts";
import { keyOf } from "./element.ts";
import { parseEntry, type Word } from "./entry.ts";
import { normalise } from "./normalise.ts";
import { readSave } from "./save.ts";

/** The sets of `ipset save`. The origin of an entry is the line that puts it there. */
export const readIpsetSave = (source: Source): readonly IpSet[] =>
  readSave(source, {}).facts.flatMap((f) => (f.kind === "ipset" ? f.sets : []));

/** The elements of a set that the words behind `ipset add NAME` speak of, as the kernel stores them. */
export function readIpsetEntry(words: readonly Word[], set: IpSet): readonly SetEntry[] {
  const { entry, problems } = parseEntry(words, set, set.family, assumed("typed"));
  const spans = ({ parts }: SetEntry): boolean =>
    parts.some((p) => p.kind === "range" || (p.kind === "port" && p.from !== p.to) || p.kind === "unknown");
  const stored = problems.length > 0 ? [] : normalise(set, entry);
  return stored.some(spans) ? [] : stored;
}

/** What makes an entry the same as another of its set. */
export const keyOfEntry = (set: IpSet, entry: SetEntry): string => keyOf(set, entry.parts);
