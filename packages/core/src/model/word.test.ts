import { describe, expect, test } from "vitest";
import { ipv4Of, parseAddress, parsePrefix } from "../net/index.ts";
import {
  addressWord,
  BadWord,
  chainWord,
  descriptorWord,
  deviceWord,
  hexWord,
  inputOf,
  interfacePattern,
  lineOf,
  macWord,
  nameWord,
  numberWord,
  oneOf,
  prefixWord,
  ruleWord,
  setEntryWord,
  setWord,
  sysctlPart,
  sysctlValue,
  type Word,
  words,
} from "./word.ts";

const HOSTILE = [
  "02:00:00:00:00:01\nlink del eth0",
  "a b",
  "a\tb",
  "a\0b",
  "a\u2028b",
  "a\x85b",
  "-x",
  "--modprobe=/tmp/x",
  "",
  'a"b',
  "a'b",
  "a\\b",
  "x".repeat(100_000),
  "eth0\n",
  "\n",
];
const KINDS: Readonly<Record<string, (text: string) => Word>> = {
  deviceWord,
  interfacePattern,
  macWord,
  setWord,
  chainWord,
  nameWord,
  descriptorWord,
  sysctlPart,
  setEntryWord,
};

describe("what a tool is given", () => {
  for (const [name, make] of Object.entries(KINDS)) {
    test(`${name} lets no hostile text through`, () => {
      for (const text of HOSTILE) expect(() => make(text), JSON.stringify(text)).toThrow(BadWord);
    });
  }

  test("names of folders are no names", () => {
    for (const text of [".", "..", "../x", "a/b"]) {
      expect(() => deviceWord(text)).toThrow(BadWord);
      expect(() => sysctlPart(text)).toThrow(BadWord);
    }
  });

  test("what is no number, address or choice is none, whatever its type says", () => {
    for (const value of ["1\nlink del lo", NaN, 1.5, -1, null, {}, [1, 2, 3, "4\nx"], undefined]) {
      expect(() => numberWord(value as never)).toThrow(BadWord);
      expect(() => hexWord(value as never)).toThrow(BadWord);
      expect(() => addressWord(value as never)).toThrow(BadWord);
      expect(() => prefixWord({ address: value as never, length: 24 })).toThrow(BadWord);
      expect(() => prefixWord({ address: ipv4Of(1), length: value === -1 ? 33 : (value as never) })).toThrow(BadWord);
      expect(() => oneOf(value as never, ["a", "b"])).toThrow(BadWord);
    }
  });

  test("names in use pass as they are", () => {
    for (const name of ["eth0", "cni0", "veth1a2b@if3", "br-0a1b2c", "eth0.100", "wg+", "eth0:1"]) {
      expect(deviceWord(name)).toBe(name);
    }
    for (const name of ["KUBE-CLUSTER-IP", "weave-Rzff}h:=]JaaJl/G;(XJpGjZ[", "cali40all-ipam-pools"]) {
      expect(setWord(name)).toBe(name);
    }
    for (const name of ["KUBE-SVC-ERIFXISQEP7F7OF4", "cali-fw-cali1234", "~log0", "ufw6-user-input"]) {
      expect(chainWord(name)).toBe(name);
    }
    expect(addressWord(parseAddress("2001:db8::1")!)).toBe("2001:db8::1");
    expect(prefixWord(parsePrefix("10.0.0.0/8")!)).toBe("10.0.0.0/8");
    expect(sysctlValue("1024 65535")).toBe("1024 65535");
    expect(() => sysctlValue("1\n2")).toThrow(BadWord);
  });

  test("a word of a rule is quoted, and what quoting does not hold is refused", () => {
    expect(ruleWord('say "hi" \\ $(x)')).toBe('"say \\"hi\\" \\\\ $(x)"');
    expect(ruleWord("--mode")).toBe("--mode");
    for (const text of [
      "",
      "a\nb",
      "a\0b",
      "-M",
      "--modprobe=/x",
      "--modp",
      "--mod=/x",
      "--mo",
      "x".repeat(1001),
      "好".repeat(400),
    ]) {
      expect(() => ruleWord(text)).toThrow(BadWord);
    }
  });

  test("a line is no longer than its reader takes at once", () => {
    const comments = Array.from({ length: 11 }, () => ruleWord("c".repeat(900)));
    expect(() => lineOf(comments)).toThrow(BadWord);
    expect(() => lineOf([setEntryWord("s".repeat(255))], 1000)).not.toThrow();
    expect(() => lineOf(Array(5).fill(setEntryWord("s".repeat(255))), 1000)).toThrow(BadWord);
  });

  test("a line is made of words, and looked at once more", () => {
    expect(lineOf(words`link set dev ${deviceWord("eth0")} up`)).toBe("link set dev eth0 up");
    expect(inputOf([lineOf(words`a ${[numberWord(1), numberWord(2)]}`)])).toBe("a 1 2\n");
    expect(() => lineOf(["a\nb" as Word])).toThrow(BadWord);
    // @ts-expect-error a string is no word
    lineOf(["link"]);
    // @ts-expect-error nor does it stand in a template
    words`link set dev ${"eth0"}`;
    // @ts-expect-error and no line
    inputOf(["link"]);
  });
});
