import type { en } from "../en/index.ts";
import { causes } from "./causes.ts";
import { evidence } from "./evidence.ts";
import { facts } from "./facts.ts";
import { verdicts } from "./verdicts.ts";

export const zh: Readonly<Record<keyof typeof en, string>> = { ...verdicts, ...causes, ...facts, ...evidence };
