import { fc } from "@hairpin/testing/property.ts";
import { expect, test } from "vitest";
import { shellWords } from "../../parse/shell-words.ts";
import { argv, commandLine } from "./command.ts";

test("what is put into a command is one word, and the same word again when its line is read", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[\x20-\x7e]{1,15}$/), (name) => {
      const words = argv`bridge link set dev ${name} hairpin on`;
      expect(words).toEqual(["bridge", "link", "set", "dev", name, "hairpin", "on"]);
      const read = shellWords(commandLine({ stack: "", words }));
      expect(read.map((w) => w.text)).toEqual(words);
      expect(read.some((w) => w.operator)).toBe(false);
    }),
  );
});

test("text that touches a value is of its word", () => {
  expect(argv`ip addr del ${"10.0.0.1"}/${32} dev ${"eth 0"}`).toEqual([
    "ip",
    "addr",
    "del",
    "10.0.0.1/32",
    "dev",
    "eth 0",
  ]);
  expect(commandLine({ stack: "node-a", words: argv`ip link set dev ${"a;reboot"} up` })).toBe(
    "node-a: ip link set dev 'a;reboot' up",
  );
});
