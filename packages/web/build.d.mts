import type { Assets } from "./src/report/report.ts";

export function reportAssets(): Promise<Assets>;
export function pageInputs(): Promise<readonly string[]>;
export function pageText(version: string): Promise<string>;
export function buildPage(version: string): Promise<string>;
export function casesInChinese(): ReadonlyMap<string, { readonly title: string; readonly story: string }>;
