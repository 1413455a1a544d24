import { isAscii } from "node:buffer";
import { decode as decoded } from "@hairpin/case/bundle/decode.ts";
import type { CaseInput } from "@hairpin/core/parse/index.ts";

export { binaryKind } from "@hairpin/case/bundle/decode.ts";

export const decode = (path: string, bytes: Buffer): CaseInput =>
  decoded(path, bytes, () => (isAscii(bytes) ? bytes.toString("latin1") : undefined));
