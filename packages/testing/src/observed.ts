import { observationsOf } from "@hairpin/core/assemble/index.ts";
import { connectionsOf, derivedFacts, loggedPackets } from "@hairpin/core/evidence/index.ts";
import { type Facts, readCase } from "@hairpin/core/parse/index.ts";

/** Reads files by name and follows what they show. */
export function observe(files: Readonly<Record<string, string>>) {
  const reading = readCase(Object.entries(files).map(([path, text]) => ({ path, text })));
  const observations = observationsOf(reading.dumps);
  const connections = connectionsOf(observations.packets);
  return {
    reading,
    observations,
    connections,
    facts: derivedFacts(observations, connections),
    logged: loggedPackets(observations.lines),
  };
}

/** The facts of one kind in one text. */
export function factsOf<K extends Facts["kind"]>(path: string, text: string, kind: K): Extract<Facts, { kind: K }>[] {
  const { dumps } = readCase([{ path, text }]);
  return dumps.flatMap((d) => d.reading.facts.filter((f): f is Extract<Facts, { kind: K }> => f.kind === kind));
}
