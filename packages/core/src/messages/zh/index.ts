import type { en } from "../en/index.ts";
import { verdicts } from "./verdicts.ts";

export const zh: Readonly<Record<keyof typeof en, string>> = { ...verdicts };
