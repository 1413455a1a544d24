export * from "./ip-packet-match.ts";
export * from "./match.ts";
export * from "./own-lines.ts";
export * from "./registered-hook.ts";
export * from "./rule.ts";
export * from "./rule-ref.ts";
export * from "./target.ts";
export * from "./unread.ts";
