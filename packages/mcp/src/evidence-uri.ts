/** Where a line of a case can be read: the case's paths as they were given, the file in it, and the lines. */
export const EVIDENCE_TEMPLATE = "hairpin://evidence/{case}/{file}/{lines}";

const inSegment = encodeURIComponent;

export const evidenceUri = (paths: readonly string[], file: string, line: number): string =>
  `hairpin://evidence/${inSegment(paths.map(inSegment).join(","))}/${inSegment(file)}/${line}`;

export interface EvidencePlace {
  readonly paths: readonly string[];
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** `lines`: `7`, or `3-9`. Undefined where it is no such place. */
export function evidencePlace(variables: Readonly<Record<string, unknown>>): EvidencePlace | undefined {
  const { case: paths, file, lines } = variables;
  if (typeof paths !== "string" || typeof file !== "string" || typeof lines !== "string") return undefined;
  const m = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(lines);
  if (m === null) return undefined;
  try {
    const from = Number(m[1]);
    return {
      paths: decodeURIComponent(paths).split(",").map(decodeURIComponent),
      file: decodeURIComponent(file),
      from,
      to: Number(m[2] ?? from),
    };
  } catch {
    return undefined;
  }
}
