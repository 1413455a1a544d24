export * as model from "./model/index.ts";
export * as net from "./net/index.ts";
