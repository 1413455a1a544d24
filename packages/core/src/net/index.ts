export * from "./address.ts";
export * from "./mac.ts";
export * from "./ports.ts";
export * from "./prefix.ts";
export * from "./protocol.ts";
export * from "./services.ts";
