export * from "./address.ts";
export * from "./number.ts";
export * from "./ports.ts";
export * from "./value.ts";
export * from "./word.ts";
