export * from "./fact.ts";
export * from "./id.ts";
export * from "./parse.ts";
