import { expect, test } from "vitest";
import { basesOf, faultOf, inputOf, runInput } from "./fuzz.ts";

/** The same few of what `npm run fuzz:commands` runs by the hundred thousand. */
const INPUTS = 120;

test("mutated cases crash nothing and reach no terminal raw", async () => {
  const bases = basesOf();
  const faults: string[] = [];
  for (let i = 0; i < INPUTS; i++) {
    const fault = faultOf(await runInput(inputOf(bases, 1_000_000 + i)));
    if (fault !== undefined) faults.push(`${1_000_000 + i}: ${fault}`);
  }
  expect(faults).toEqual([]);
}, 300_000);
