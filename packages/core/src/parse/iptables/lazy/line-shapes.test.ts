import { fc } from "@hairpin/testing/property.ts";
import { expect, test } from "vitest";
import { formatAddress, type Ipv4 } from "../../../net/index.ts";
import { LineShapes } from "./line-shapes.ts";
import { type Numbering, ownWords, saidIn } from "./own-words.ts";

/** Everybody's: never numbered. */
const COMMON = "10.0.0.9";

class Numbers implements Numbering {
  readonly addresses: string[] = [];
  readonly services: string[] = [];
  readonly chains: string[] = [];
  readonly renaming = {
    address: (address: Ipv4) => {
      const shown = formatAddress(address);
      return shown === COMMON ? undefined : numberIn(this.addresses, shown);
    },
    service: (name: string) => (name === "known/one" ? undefined : numberIn(this.services, name)),
  };
  readonly chain = (name: string): number => numberIn(this.chains, name);

  get all(): unknown {
    return [this.addresses, this.services, this.chains];
  }
}

function numberIn(list: string[], one: string): number {
  const known = list.indexOf(one);
  return known < 0 ? list.push(one) - 1 : known;
}

const address = fc.constantFrom("10.0.0.1", "10.0.0.12", "10.0.0.2", COMMON, "10.0.0.300", "1.2.3");
const tail = fc.constantFrom("", "/32", "/3", "/320", "/24", ":80", "-10.0.0.2", ".5");
const hash = fc.constantFrom("ABCDEFGHIJKLMNOP", "ABCDEFGHIJKLMNOQ", "2BCDEFGHIJKLMNOP", "1BCDEFGHIJKLMNOP", "ABC");
const service = fc.constantFrom("ns/one", "ns/two", "known/one", "10.0.0.1/32", "x", "9/nine");
const word = fc.oneof(
  fc.tuple(fc.constantFrom("-s ", "-d ", ""), address, tail).map((w) => w.join("")),
  fc
    .tuple(fc.constantFrom("KUBE-SVC-", "KUBE-SEP-", "KUBE-X1-"), hash, fc.constantFrom("", "A"))
    .map((w) => w.join("")),
  fc
    .tuple(
      fc.constantFrom("--comment ", '--comment "', "comment "),
      service,
      fc.constantFrom("", ":http", ' -> 10.0.0.1:80"'),
    )
    .map((w) => w.join("")),
  fc.constantFrom("-j", "-m tcp", "RETURN", "1", ",", '"'),
);
const line = fc.array(word, { maxLength: 5 }).map((words) => words.join(" "));

test("a line that is seen to say what another said says that, word by word", () => {
  const shapes = new LineShapes();
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
      const text = `${lines.join("\n")}\n`;
      const [quick, plain] = [new Numbers(), new Numbers()];
      let begin = 0;
      let before = -1;
      for (const one of lines) {
        const end = begin + one.length;
        before = shapes.of(text, begin, end, quick, before);
        expect(shapes.said(before)).toBe(saidIn(ownWords(text, begin, end, plain)));
        expect(quick.all).toEqual(plain.all);
        begin = end + 1;
      }
    }),
    { numRuns: 3000 },
  );
});
