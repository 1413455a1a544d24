import type { Origin } from "../../../model/index.ts";
import { type Address, PROTO, parseAddress, protocolNumber } from "../../../net/index.ts";
import { type Diagnostic, diagnose } from "../../diagnostic.ts";
import { originAt, type Source } from "../../source.ts";
import { Mapping, type Sequence, textIn, type Value } from "../yaml/value.ts";

/** What a reader of one kind of object is given beside the object. */
export class ObjectContext {
  readonly diagnostics: Diagnostic[] = [];
  readonly source: Source;
  /** Of `-n` on the command line; objects say it themselves. */
  readonly namespace: string;

  constructor(source: Source, namespace = "default") {
    this.source = source;
    this.namespace = namespace;
  }

  origin(line: number): Origin {
    return originAt(this.source, line);
  }

  /** The line that names the object says more than the one that opens it. */
  originOf(object: Mapping): Origin {
    const metadata = object.get("metadata");
    const line = metadata instanceof Mapping ? metadata.lineOf("name") : undefined;
    return this.origin(line ?? object.lineOf("kind") ?? object.line);
  }

  warn(line: number, code: string, message: string): void {
    this.diagnostics.push(diagnose(this.source, line, 0, `kubernetes-${code}`, message, { severity: "warning" }));
  }

  note(line: number, code: string, message: string): void {
    this.diagnostics.push(diagnose(this.source, line, 0, `kubernetes-${code}`, message, { severity: "note" }));
  }

  address(text: string, line: number): readonly Address[] {
    const address = parseAddress(text);
    if (address !== undefined) return [address];
    this.warn(line, "address", `${text.slice(0, 60)} is not an address`);
    return [];
  }

  addresses(list: Value | undefined): readonly Address[] {
    if (list === undefined || list === null || typeof list !== "object" || list instanceof Mapping) return [];
    const sequence: Sequence = list;
    return sequence.items.flatMap((item, i) =>
      typeof item === "string" ? this.address(item, sequence.lines[i]!) : [],
    );
  }

  protocol(text: string | undefined, line: number): number {
    if (text === undefined) return PROTO.tcp;
    const number = /^(?:TCP|UDP|SCTP)$/i.test(text) ? protocolNumber(text) : undefined;
    if (number === undefined) this.warn(line, "protocol", `${text.slice(0, 40)} is no protocol of a Service`);
    return number ?? PROTO.tcp;
  }

  port(value: Value | undefined, line: number): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === "number" && value >= 0 && value <= 65535) return value;
    this.warn(line, "port", "this is not a port");
    return undefined;
  }
}

export const nameOf = (object: Mapping): string => textIn(object, "metadata", "name") ?? "";

/** Labels and annotations: only texts. */
export function labelsIn(value: Value | undefined): Readonly<Record<string, string>> | undefined {
  if (!(value instanceof Mapping) || value.size === 0) return undefined;
  const labels: Record<string, string> = Object.create(null);
  for (let i = 0; i < value.size; i++) {
    const text = value.valueAt(i);
    if (text !== null && typeof text !== "object") labels[value.keyAt(i)] = String(text);
  }
  return labels;
}

/** Leaves out what is undefined, as exactOptionalPropertyTypes wants it. */
export function input<T extends object>(record: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const result: Record<string, unknown> = {};
  for (const key in record) if (record[key] !== undefined) result[key] = record[key];
  return result as { [K in keyof T]?: Exclude<T[K], undefined> };
}
