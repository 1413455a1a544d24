import { scatter } from "../../kernel/ports.ts";
import { inOne } from "../../kernel/skb.ts";
import { type HeaderByte, headerBytes } from "./header-bytes.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";
import type { Option } from "./options.ts";

interface Instruction {
  readonly code: number;
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

/** A register; undefined: the model does not know what it holds. */
type Value = number | undefined;

/** Follows bpf_mt() (xt_bpf.c): a classic program, given the packet from its network header on. Pinned ones are not in a dump. */
export function matchBpf({ kernel, skb }: MatchContext, options: readonly Option[]): MatchAnswer {
  const packet = inOne(skb);
  const bytecode = options.find((o) => o.name === "--bytecode");
  const program = bytecode === undefined ? undefined : programOf(bytecode.value);
  const result = program === undefined ? "unknown" : run(program, headerBytes(packet), packet.length);
  if (result !== "unknown") return result !== 0;
  scatter(kernel, [packet.sport, packet.dport]);
  return result;
}

/** `4,48 0 0 9,21 0 1 6,6 0 0 1,6 0 0 0` */
function programOf(text: string): readonly Instruction[] | undefined {
  const [count, ...lines] = text.split(",");
  const program = lines.map((line) => {
    const [code = Number.NaN, jt = Number.NaN, jf = Number.NaN, k = Number.NaN] = line.trim().split(/\s+/).map(Number);
    return { code, jt, jf, k };
  });
  const whole = program.every((i) => !Number.isNaN(i.code + i.jt + i.jf + i.k));
  return whole && program.length === Number(count) ? program : undefined;
}

const LENGTH_OF = [4, 2, 1];

function run(program: readonly Instruction[], bytes: readonly HeaderByte[], length: number): number | "unknown" {
  let a: Value = 0;
  let x: Value = 0;
  const memory: Value[] = new Array<Value>(16).fill(0);
  const load = (offset: number, size: number): Value | "outside" => {
    if (offset + size > length) return "outside";
    let value = 0;
    for (let i = 0; i < size; i++) {
      const byte = bytes[offset + i];
      if (byte === undefined) return undefined;
      value = ((value << 8) | byte) >>> 0;
    }
    return value;
  };
  // Jumps go forward only: a program ends.
  for (let at = 0; at < program.length; ) {
    const { code, jt, jf, k } = program[at++]!;
    const [mode, size] = [code & 0xe0, LENGTH_OF[(code & 0x18) >> 3] ?? 4];
    switch (code & 7) {
      case 0:
      case 1: {
        const read = loaded(mode, k, size, x, memory, length, load);
        if (read === "unknown") return read;
        if (read === "outside") return 0;
        if ((code & 7) === 0) a = read;
        else x = read;
        break;
      }
      case 2:
        memory[k & 15] = a;
        break;
      case 3:
        memory[k & 15] = x;
        break;
      case 4: {
        const result = calculate(code & 0xf0, a, (code & 8) === 0 ? k : x);
        // A division by nothing ends the program.
        if (result === "end") return 0;
        a = result;
        break;
      }
      case 5: {
        if ((code & 0xf0) === 0) {
          at += k;
          break;
        }
        const holds = compare(code & 0xf0, a, (code & 8) === 0 ? k : x);
        if (holds === undefined) return "unknown";
        at += holds ? jt : jf;
        break;
      }
      case 6:
        return (code & 0x18) === 0 ? k : (a ?? "unknown");
      default:
        if ((code & 0xf8) === 0) x = a;
        else a = x;
    }
  }
  return "unknown";
}

/** BPF_ABS, BPF_IND, BPF_IMM, BPF_MEM, BPF_LEN, BPF_MSH; the kernel's own offsets (SKF_AD_OFF) are not known. */
function loaded(
  mode: number,
  k: number,
  size: number,
  x: Value,
  memory: readonly Value[],
  length: number,
  load: (offset: number, size: number) => Value | "outside",
): Value | "outside" | "unknown" {
  if (mode === 0x00) return k;
  if (mode === 0x60) return memory[k & 15];
  if (mode === 0x80) return length;
  if (k > 0x7fffffff) return "unknown";
  if (mode === 0x20) return load(k, size);
  if (mode === 0x40) return x === undefined ? "unknown" : load(x + k, size);
  if (mode !== 0xa0) return "unknown";
  const byte = load(k, 1);
  return typeof byte === "number" ? (byte & 0xf) << 2 : byte;
}

function calculate(op: number, a: Value, b: Value): Value | "end" {
  if (op === 0x80) return a === undefined ? undefined : -a >>> 0;
  if ((op === 0x30 || op === 0x90) && b === 0) return "end";
  if (op === 0x50 && (a === 0 || b === 0)) return 0;
  if (a === undefined || b === undefined) return undefined;
  switch (op) {
    case 0x00:
      return (a + b) >>> 0;
    case 0x10:
      return (a - b) >>> 0;
    case 0x20:
      return Math.imul(a, b) >>> 0;
    case 0x30:
      return Math.floor(a / b);
    case 0x40:
      return (a | b) >>> 0;
    case 0x50:
      return (a & b) >>> 0;
    case 0x60:
      return b > 31 ? 0 : (a << b) >>> 0;
    case 0x70:
      return b > 31 ? 0 : a >>> b;
    case 0x90:
      return a % b;
    case 0xa0:
      return (a ^ b) >>> 0;
    default:
      return undefined;
  }
}

function compare(op: number, a: Value, b: Value): boolean | undefined {
  if (a === undefined || b === undefined) return undefined;
  switch (op) {
    case 0x10:
      return a === b;
    case 0x20:
      return a > b;
    case 0x30:
      return a >= b;
    case 0x40:
      return (a & b) !== 0;
    default:
      return undefined;
  }
}
