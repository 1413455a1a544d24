import { append } from "../../../net/append.ts";
import type { Reading } from "../../dialect.ts";
import type { Source } from "../../source.ts";
import { countsOf } from "../counts.ts";
import { ObjectContext } from "../objects/context.ts";
import { Gathered } from "../objects/index.ts";
import { readTables } from "./columns.ts";
import { endpointSliceOf, endpointsOf, nodeOf, podOf, serviceOf } from "./rows.ts";

/** The tables of `kubectl get`; those of other kinds are counted and let be. */
export function readTable(source: Source, namespace?: string): Reading {
  const context = new ObjectContext(source, namespace);
  const gathered = new Gathered();
  const { objects } = gathered;
  for (const { kind, rows, damaged } of readTables(source)) {
    if (kind !== "other")
      for (const line of damaged) context.warn(line, "table-row", "this row does not fit the columns of its table");
    switch (kind) {
      case "service":
        append(
          objects.services,
          rows.map((r) => serviceOf(r, context)),
        );
        break;
      case "pod":
        append(
          objects.pods,
          rows.map((r) => podOf(r, context)),
        );
        break;
      case "node":
        append(
          objects.nodes,
          rows.map((r) => nodeOf(r, context)),
        );
        break;
      case "endpoints":
        append(
          objects.endpoints,
          rows.flatMap((r) => endpointsOf(r, context)),
        );
        break;
      case "endpointslice":
        append(
          objects.endpoints,
          rows.map((r) => endpointSliceOf(r, context)),
        );
        break;
      case "other":
        gathered.others += rows.length + damaged.length;
    }
  }
  return {
    facts: [{ kind: "kubernetes", objects }],
    diagnostics: context.diagnostics,
    counts: countsOf(gathered),
  };
}
