import type { Source } from "../../source.ts";

/** A line of a description: `TargetPort:        8080/TCP`. */
export interface Field {
  readonly name: string;
  readonly value: string;
  /** Indented: of a container, a subset, an event. */
  readonly nested: boolean;
  readonly line: number;
}

/** One object that was described, from its `Name:` to the next. */
export interface Description {
  readonly fields: readonly Field[];
  readonly line: number;
}

const FIELD = /^(\s{0,40})([A-Za-z][A-Za-z ./()-]{0,60}):(?:\s+(\S.*?))?\s*$/;
const ABSENT = /^(?:<none>|<unset>|<nil>|n\/a|)$/;

/** The objects that `kubectl describe` printed, one below the other. */
export function descriptionsOf(source: Source): readonly Description[] {
  const all: { fields: Field[]; line: number }[] = [];
  source.lines.forEach((text, line) => {
    const match = FIELD.exec(text.slice(0, 2000));
    if (match === null) return;
    const [, margin = "", name = "", value = ""] = match;
    if (margin === "" && name === "Name") all.push({ fields: [], line });
    all[all.length - 1]?.fields.push({
      name,
      value: ABSENT.test(value) ? "" : value,
      nested: margin !== "",
      line,
    });
  });
  return all;
}

export const fieldOf = ({ fields }: Description, name: string): Field | undefined =>
  fields.find((f) => !f.nested && f.name === name && f.value !== "");

export const textOf = (description: Description, name: string): string | undefined => fieldOf(description, name)?.value;

export const has = ({ fields }: Description, name: string): boolean => fields.some((f) => !f.nested && f.name === name);
