import type { SetCounterTest, SetMatch, SetTarget } from "../../../../model/index.ts";
import {
  compact,
  given,
  matchExtension,
  type OptionValues,
  option,
  shown,
  targetExtension,
} from "../../rule/extension.ts";
import { flag, parseUnsigned, U32, unsigned, type Value } from "../../values/index.ts";

type Direction = "src" | "dst";
interface SetReference {
  readonly name: string;
  readonly directions: readonly Direction[];
}

/** IPSET_MAXNAMELEN is 32 with the closing zero, IPSET_DIM_MAX is 6. */
const reference: Value<SetReference> = {
  words: 2,
  expects: "the name of a set and a list of src and dst",
  read: ([name = "", list = ""]) => {
    const directions = list.split(",");
    if (name === "" || name.length > 31 || /[\s"]/.test(name) || directions.length > 6) return undefined;
    return directions.every((d): d is Direction => d === "src" || d === "dst") ? { name, directions } : undefined;
  },
  print: (set) => [set.name, set.directions.join(",")],
};

const counter = unsigned(Number.MAX_SAFE_INTEGER);

interface MatchOptions {
  set: SetReference;
  returnNomatch: true;
  updateCounters: true;
  updateSubcounters: true;
  packetsEq: number;
  packetsLt: number;
  packetsGt: number;
  bytesEq: number;
  bytesLt: number;
  bytesGt: number;
}

function counterTest(
  all: OptionValues<MatchOptions>,
  what: "packets" | "bytes",
): SetCounterTest | undefined | "too many" {
  const tests: SetCounterTest[] = [];
  const eq = all[`${what}Eq`];
  const lt = all[`${what}Lt`];
  const gt = all[`${what}Gt`];
  if (eq) tests.push({ operator: eq.negated ? "ne" : "eq", value: eq.value });
  if (lt) tests.push({ operator: "lt", value: lt.value });
  if (gt) tests.push({ operator: "gt", value: gt.value });
  return tests.length > 1 ? "too many" : tests[0];
}

const showTest = (what: "packets" | "bytes", test: SetCounterTest | undefined): OptionValues<MatchOptions> => {
  if (test === undefined) return {};
  const suffix = { eq: "Eq", ne: "Eq", lt: "Lt", gt: "Gt" } as const;
  return { [`${what}${suffix[test.operator]}`]: given(test.value, test.operator === "ne") };
};

export const set = matchExtension<MatchOptions, SetMatch>({
  name: "set",
  fields: {
    set: option("--match-set", reference, { also: ["--set"], negatable: true, required: true }),
    returnNomatch: option("--return-nomatch", flag),
    updateCounters: option("--update-counters", flag, { negatable: true }),
    updateSubcounters: option("--update-subcounters", flag, { negatable: true }),
    packetsEq: option("--packets-eq", counter, { negatable: true }),
    packetsLt: option("--packets-lt", counter),
    packetsGt: option("--packets-gt", counter),
    bytesEq: option("--bytes-eq", counter, { negatable: true }),
    bytesLt: option("--bytes-lt", counter),
    bytesGt: option("--bytes-gt", counter),
  },
  make: (all) => {
    const packets = counterTest(all, "packets");
    const bytes = counterTest(all, "bytes");
    if (packets === "too many" || bytes === "too many") return "a counter can be compared once only";
    return compact<SetMatch>({
      kind: "set",
      ...all.set!.value,
      negated: all.set!.negated,
      returnNomatch: all.returnNomatch !== undefined,
      noUpdateCounters: all.updateCounters?.negated ?? false,
      noUpdateSubcounters: all.updateSubcounters?.negated ?? false,
      packets,
      bytes,
    });
  },
  show: (match) => ({
    set: given({ name: match.name, directions: match.directions }, match.negated),
    ...(match.returnNomatch && { returnNomatch: shown(true)! }),
    ...(match.noUpdateCounters && { updateCounters: given(true as const, true) }),
    ...(match.noUpdateSubcounters && { updateSubcounters: given(true as const, true) }),
    ...showTest("packets", match.packets),
    ...showTest("bytes", match.bytes),
  }),
});

interface TargetOptions {
  add: SetReference;
  del: SetReference;
  exist: true;
  timeout: number;
  map: SetReference;
  mapMark: true;
  mapPrio: true;
  mapQueue: true;
}

export const SET = targetExtension<TargetOptions, SetTarget>({
  name: "SET",
  fields: {
    add: option("--add-set", reference),
    exist: option("--exist", flag),
    timeout: option("--timeout", {
      ...unsigned(U32),
      read: ([text = ""]) => parseUnsigned(text, U32),
    }),
    del: option("--del-set", reference),
    map: option("--map-set", reference),
    mapMark: option("--map-mark", flag),
    mapPrio: option("--map-prio", flag),
    mapQueue: option("--map-queue", flag),
  },
  make: (all) => {
    const actions = (["add", "del", "map"] as const).filter((a) => all[a] !== undefined);
    const action = actions[0];
    if (action === undefined) return "one of --add-set, --del-set and --map-set is needed";
    if (actions.length > 1) return "--add-set, --del-set and --map-set together are not read yet";
    if (action !== "add" && (all.exist || all.timeout)) return "--exist and --timeout go with --add-set";
    const options = [all.mapMark && "--map-mark", all.mapPrio && "--map-prio", all.mapQueue && "--map-queue"].filter(
      (o) => o !== undefined,
    );
    if (action === "map" ? options.length === 0 : options.length > 0)
      return "--map-set goes with --map-mark, --map-prio or --map-queue";
    return compact<SetTarget>({
      kind: "set",
      action,
      ...all[action]!.value,
      exist: all.exist !== undefined,
      timeout: all.timeout?.value,
      options,
    });
  },
  show: (target) => ({
    [target.action]: given({ name: target.name, directions: target.directions }),
    ...(target.exist && { exist: shown(true)! }),
    ...(target.timeout !== undefined && { timeout: given(target.timeout) }),
    ...(target.options.includes("--map-mark") && { mapMark: shown(true)! }),
    ...(target.options.includes("--map-prio") && { mapPrio: shown(true)! }),
    ...(target.options.includes("--map-queue") && { mapQueue: shown(true)! }),
  }),
});
