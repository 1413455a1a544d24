import { append } from "../../../../net/append.ts";
import { type OptionValues, option } from "../../rule/extension.ts";
import { flag, oneOf, single, U16, unsigned, type Value } from "../../values/index.ts";
import { otherMatch } from "../other.ts";

/** XT_STRING_MAX_PATTERN_SIZE */
const MAX_PATTERN = 128;

function utf8(text: string): number[] {
  const bytes: number[] = [];
  for (const letter of text) {
    const c = letter.codePointAt(0)!;
    if (c < 0x80) bytes.push(c);
    else if (c < 0x800) bytes.push(0xc0 | (c >> 6), 0x80 | (c & 63));
    else if (c < 0x10000) bytes.push(0xe0 | (c >> 12), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
    else bytes.push(0xf0 | (c >> 18), 0x80 | ((c >> 12) & 63), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
  }
  return bytes;
}

/** `GET |0d 0a|` → the bytes; undefined where the bars do not pair or what they hold is not hexadecimal. */
function parseHexString(text: string): readonly number[] | undefined {
  const bytes: number[] = [];
  const parts = text.split("|");
  if (parts.length % 2 === 0 || text.length > 1000) return undefined;
  for (const [i, part] of parts.entries()) {
    if (i % 2 === 0) append(bytes, utf8(part));
    else {
      const digits = part.replace(/ /g, "");
      if (digits.length % 2 === 1 || !/^[0-9a-fA-F]*$/.test(digits)) return undefined;
      for (let k = 0; k < digits.length; k += 2) bytes.push(Number.parseInt(digits.slice(k, k + 2), 16));
    }
  }
  return bytes;
}

const hexText = (bytes: readonly number[]): string => `|${bytes.map((b) => b.toString(16).padStart(2, "0")).join("")}|`;

const plain: Value<string> = single("a text of at most 128 bytes", (text) =>
  text.length > 0 && text.length <= MAX_PATTERN && utf8(text).length <= MAX_PATTERN ? text : undefined,
);
const hexString: Value<string> = single("a text of at most 128 bytes, with |hex| in it", (text) => {
  const bytes = parseHexString(text);
  return bytes === undefined || bytes.length === 0 || bytes.length > MAX_PATTERN ? undefined : hexText(bytes);
});

interface Options {
  plain: string;
  hex: string;
  algorithm: "bm" | "kmp";
  from: number;
  to: number;
  icase: true;
}

/** What prints as text prints as text, whichever way it was given (is_hex_string() in libxt_string.c). */
function normal(all: OptionValues<Options>): OptionValues<Options> {
  if (all.hex === undefined) return all;
  const bytes = parseHexString(all.hex.value) ?? [];
  if (!bytes.every((b) => b > 32 && b < 127)) return all;
  const { hex, ...rest } = all;
  return { ...rest, plain: { value: String.fromCharCode(...bytes), negated: hex.negated } };
}

export const string = otherMatch<Options>({
  name: "string",
  fields: {
    plain: option("--string", plain, { negatable: true, quoting: "always" }),
    hex: option("--hex-string", hexString, { negatable: true, quoting: "always" }),
    algorithm: option("--algo", oneOf<"bm" | "kmp">(["bm", "kmp"]), { required: true }),
    from: option("--from", unsigned(U16), { everything: (n) => n === 0 }),
    to: option("--to", unsigned(U16), { everything: (n) => n === U16 }),
    icase: option("--icase", flag),
  },
  check: (all) =>
    (all.plain === undefined) === (all.hex === undefined) ? "one of --string and --hex-string is needed" : undefined,
  normal,
});
