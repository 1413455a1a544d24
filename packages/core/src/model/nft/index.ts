export * from "./datatype.ts";
export * from "./expression.ts";
export * from "./statement.ts";
export * from "./table.ts";
