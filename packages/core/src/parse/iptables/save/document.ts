import { printTable } from "../rule/print.ts";
import type { SaveDocument } from "./save.ts";

/** The document back as text: for what iptables-save printed, byte for byte. */
export const printDocument = (document: SaveDocument): string =>
  document.parts.map((part) => `${part.kind === "comment" ? part.text : printTable(part.table)}\n`).join("");
