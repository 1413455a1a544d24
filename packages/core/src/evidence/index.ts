export * from "./between.ts";
export * from "./connection.ts";
export * from "./derived.ts";
export * from "./endpoint-text.ts";
export * from "./log-path.ts";
export * from "./losses.ts";
export * from "./outcome.ts";
export * from "./sighting.ts";
