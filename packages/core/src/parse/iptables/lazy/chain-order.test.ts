import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, it } from "vitest";
import { GuardedLines } from "./chain-order.ts";

const textOf = (lines: readonly string[]): string => lines.map((l) => `-A C ${l}\n`).join("");

function orderOf(base: readonly string[], other: readonly string[]): readonly number[] | undefined {
  const [one, two] = [textOf(base), textOf(other)];
  const lines = new GuardedLines(one, { from: 0, end: one.length }, 1);
  const order = lines.orderOf(two, { from: 0, end: two.length });
  return order && [...order.places];
}

const TO_A = "-d 10.0.0.1/32 -p tcp -m tcp --dport 80 -j A";
const TO_A_TOO = "-d 10.0.0.1/32 -j B";
const TO_B = "-d 10.0.0.2/32 -p tcp -m tcp --dport 80 -j B";
const ALL = "-m addrtype --dst-type LOCAL -j LAST";
const PORT_1 = '-p tcp -m comment --comment "shop/a" -m tcp --dport 30001 -j A';
const PORT_1_OF_LO = '-d 127.0.0.0/8 -p tcp -m comment --comment "shop/a" -m tcp --dport 30001 -j A';
const PORT_2 = '-p tcp -m comment --comment "shop/b" -m tcp --dport 30002 -j B';
const PORT_1_UDP = "-p udp -m udp --dport 30001 -j B";

describe("lines of a chain in another order", () => {
  it("are the same to every packet where each is for another destination", () => {
    expect(orderOf([TO_A, TO_B, ALL], [TO_B, TO_A, ALL])).toEqual([1, 0, 2]);
    expect(orderOf([TO_A, TO_A_TOO, TO_B], [TO_B, TO_A, TO_A_TOO])).toEqual([2, 0, 1]);
    expect(orderOf([TO_A, TO_B, TO_A], [TO_A, TO_A, TO_B])).toEqual([0, 2, 1]);
  });

  it("are the same where each is for another port, and none for a destination", () => {
    expect(orderOf([PORT_1_OF_LO, PORT_1, PORT_2], [PORT_2, PORT_1_OF_LO, PORT_1])).toEqual([2, 0, 1]);
    expect(orderOf([PORT_1, PORT_1_UDP], [PORT_1_UDP, PORT_1])).toEqual([1, 0]);
  });

  it.each([
    ["one is for everybody, and another has come before it", [TO_A, ALL], [ALL, TO_A]],
    ["two are for one destination", [TO_A, TO_A_TOO], [TO_A_TOO, TO_A]],
    ["two are for everybody", [ALL, "-j RETURN"], ["-j RETURN", ALL]],
    ["two are for one port", [PORT_1_OF_LO, PORT_1], [PORT_1, PORT_1_OF_LO]],
    ["one is for a port, one for a destination", [PORT_1, TO_A], [TO_A, PORT_1]],
    ["one is for many destinations", ["-d 10.0.0.0/31 -j A", TO_A], [TO_A, "-d 10.0.0.0/31 -j A"]],
    ["one is for all but one destination", ["! -d 10.0.0.1/32 -j A", TO_B], [TO_B, "! -d 10.0.0.1/32 -j A"]],
    [
      "a port is named by a comment alone",
      [PORT_1, '-m comment --comment "-m tcp --dport 9 " -j B'],
      ['-m comment --comment "-m tcp --dport 9 " -j B', PORT_1],
    ],
    [
      "one is for all but one port",
      [PORT_1, "-p tcp -m tcp ! --dport 30002 -j B"],
      ["-p tcp -m tcp ! --dport 30002 -j B", PORT_1],
    ],
    [
      "one is for a range of ports",
      [PORT_1, "-p tcp -m tcp --dport 30000:30009 -j B"],
      ["-p tcp -m tcp --dport 30000:30009 -j B", PORT_1],
    ],
    [
      "one is a list of several",
      ["-d 10.0.0.2/32 -s 10.0.0.3,10.0.0.4 -j A", TO_A],
      [TO_A, "-d 10.0.0.2/32 -s 10.0.0.3,10.0.0.4 -j A"],
    ],
    ["one stands there twice", [TO_A, TO_A, TO_B], [TO_A, TO_B, TO_B]],
    ["one is not there", [TO_A, TO_B], [TO_A]],
  ])("are others where %s", (_, base, other) => {
    expect(orderOf(base, base)).toEqual(base.map((_, i) => i));
    expect(orderOf(base, other)).toBeUndefined();
  });

  it("are the same if and only if each packet meets the same lines one behind the other", () => {
    const kinds = [TO_A, TO_A_TOO, TO_B, "-d 10.0.0.3/32 -j A", ALL, "-j RETURN"];
    const met = (lines: readonly string[], destination: string): readonly string[] =>
      lines.filter((l) => l.startsWith(`-d ${destination}/32 `) || !l.startsWith("-d "));
    const chains = fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 7 });
    let same = 0;
    fc.assert(
      fc.property(chains, fc.array(fc.nat(6), { maxLength: 3 }), (base, moves) => {
        const other = [...base];
        for (const at of moves) other.push(...other.splice(at % other.length, 1));
        const order = orderOf(base, other);
        const isSame = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].every(
          (d) => JSON.stringify(met(base, d)) === JSON.stringify(met(other, d)),
        );
        if (order === undefined) {
          // Without a line for one destination there is nothing to order by.
          if (base.some((l) => l.startsWith("-d"))) expect([base, other, isSame]).toEqual([base, other, false]);
          return;
        }
        if (moves.length > 0) same++;
        expect([base, other, isSame]).toEqual([base, other, true]);
        expect(order.map((place) => base[place])).toEqual(other);
      }),
      { numRuns: 3000, seed: Number(process.env.HAIRPIN_SEED ?? 20) },
    );
    expect(same).toBeGreaterThan(300);
  });
});
