import { it } from "vitest";
import { mutate, random, readAll } from "./mutate.ts";

it("no reader throws, for as long as it is given", () => {
  const seconds = Number(process.env.HAIRPIN_FUZZ_SECONDS ?? 60);
  const end = Date.now() + seconds * 1000;
  let count = 0;
  while (Date.now() < end) {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const text = mutate(random(seed));
    try {
      readAll(text);
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`);
    }
    count++;
  }
  console.log(`iptables: ${count} damaged dumps in ${seconds} s`);
});
