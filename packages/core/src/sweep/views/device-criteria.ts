import { interfaceMatches, type Rule } from "../../model/index.ts";
import type { UsedDevice } from "./pod-ports.ts";

/** Which of the devices that packets come or go by a rule takes, and not others; absent: all of them. */
export interface Taken {
  readonly in?: readonly string[];
  readonly out?: readonly string[];
}

/**
 * What a rule says of devices, as far as it tells those apart that packets come or go by. Undefined: it takes none of them, so that it never matches. A
 * name that no packet has is no matter, nor how a wildcard is written.
 */
export function devicesTaken({ inInterface, outInterface }: Rule, used: readonly UsedDevice[]): Taken | undefined {
  const taken = (criterion: Rule["inInterface"]): readonly string[] | undefined => {
    if (criterion === undefined) return undefined;
    const some = used.filter(({ name }) => interfaceMatches(criterion, name));
    return some.length < used.length ? some.map((d) => d.called) : undefined;
  };
  const [from, to] = [taken(inInterface), taken(outInterface)];
  if (from?.length === 0 || to?.length === 0) return undefined;
  return { ...(from !== undefined && { in: from }), ...(to !== undefined && { out: to }) };
}

export const takenText = (taken: Taken): string =>
  `${taken.in === undefined ? "" : ` -i {${taken.in}}`}${taken.out === undefined ? "" : ` -o {${taken.out}}`}`;

/** Whether no packet is taken by both. */
const isApart = (a: Taken, b: Taken): boolean =>
  [
    [a.in, b.in],
    [a.out, b.out],
  ].some(([x, y]) => x !== undefined && y !== undefined && !x.some((d) => y.includes(d)));

/** A line for packets of some devices. */
export interface ForDevices {
  readonly line: string;
  readonly taken: Taken;
}

/** Among lines in a row of which each is for other devices than all others the order says nothing: they stand by whom they are for. */
export function inOrderOfDevices<Line extends ForDevices>(lines: readonly Line[]): readonly Line[] {
  const ordered: Line[] = [];
  let run: Line[] = [];
  const end = (): void => {
    const keyed = run.map((line) => ({ line, key: takenText(line.taken) }));
    for (const { line } of keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))) ordered.push(line);
    run = [];
  };
  for (const line of lines) {
    if (!run.every((other) => isApart(other.taken, line.taken))) end();
    run.push(line);
  }
  end();
  return ordered;
}

/** The same rule for packets of all devices. */
export function withoutDevices(rule: Rule): Rule {
  const { inInterface: _, outInterface: __, ...rest } = rule;
  return rest;
}

export const asksForDevices = ({ inInterface, outInterface }: Rule): boolean =>
  inInterface !== undefined || outInterface !== undefined;
