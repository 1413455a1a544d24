import type { Match, Negatable, Rule, Target } from "../../../model/index.ts";
import { append } from "../../../net/append.ts";
import { checkPlace } from "../table/place.ts";
import { type BaseOption, baseByPrefix, type OptionWord, optionWord } from "./base-options.ts";
import type { KeyedField, RuleContext } from "./extension.ts";
import { Head } from "./head.ts";
import { give, type Loaded, load, make, verbatim } from "./loaded.ts";
import type { RuleSetting } from "./reader.ts";
import { commonRule, fullRule, NO_TARGET, STANDARD } from "./record.ts";
import { findMatch, findTarget, impliedMatch } from "./registry.ts";
import { rawWord, type Words } from "./words.ts";

/** No rule of any kernel comes near these; a line that does is not searched word by word. */
const MAX_WORDS = 1000;
const MAX_EXTENSIONS = 64;

/** A rule specification, from the word after the chain's name. `-s a,b` makes several rules of one line. */
export function readRule(words: Words, from: number, setting: RuleSetting): readonly Rule[] {
  return new RuleReader(words, setting).read(from);
}

/** The only field with an option that begins so. */
function byPrefix(fields: readonly KeyedField[], prefix: string): KeyedField | undefined {
  if (!prefix.startsWith("--") || prefix.length < 4) return undefined;
  const found = fields.filter((field) => [field.option, ...field.also].some((name) => name.startsWith(prefix)));
  return found.length === 1 && baseByPrefix(prefix).length === 0 ? found[0] : undefined;
}

class RuleReader {
  private readonly words: Words;
  private readonly setting: RuleSetting;
  private readonly head: Head;
  /** Matches and target in the order loaded: of two that know an option, the later one gets it. */
  private readonly loaded: Loaded[] = [];
  private readonly matches: Loaded[] = [];
  private target: Loaded | undefined;
  private standard: Target | undefined;
  private readonly stray: Match[] = [];
  private index = 0;
  /** Where the pending exclamation mark stands. */
  private bang: number | undefined;

  constructor(words: Words, setting: RuleSetting) {
    this.words = words;
    this.setting = setting;
    this.head = new Head(words, setting, this.stray);
  }

  read(from: number): readonly Rule[] {
    const { texts } = this.words;
    this.index = from;
    if (texts.length - from > MAX_WORDS) this.giveUp(from);
    while (this.index < texts.length) {
      if (this.loaded.length >= MAX_EXTENSIONS) {
        this.giveUp(this.index);
        break;
      }
      const text = texts[this.index]!;
      if (text === "!" && this.bang === undefined) this.bang = this.index++;
      else if (text.length > 1 && text.startsWith("-")) this.readOption(optionWord(text));
      else this.strayWord();
    }
    if (this.bang !== undefined)
      this.complain("iptables-stray-word", "an exclamation mark with nothing after it", this.bang);
    return this.finish();
  }

  /** Keeps the rest of the line as text. */
  private giveUp(from: number): void {
    const end = this.words.texts.length;
    this.complain("iptables-line-too-long", "no rule is that long: the rest of it is kept as text", from);
    const text = this.words.line.slice(this.words.starts[from], this.words.ends[end - 1]);
    this.stray.push({ kind: "unknown", name: "", text });
    this.index = end;
  }

  private complain(code: string, message: string, at: number): void {
    this.setting.report("warning", code, message, at);
  }

  private readOption(option: OptionWord): void {
    const field = this.findField(option.name);
    if (field !== undefined) this.readField(field[0], field[1], option);
    else if (option.base !== undefined) this.readBase(option.base, option);
    else if (!this.readAbbreviated(option) && !this.readImplied(option)) this.unknownOption(option);
  }

  private findField(name: string): readonly [Loaded, KeyedField] | undefined {
    for (let i = this.loaded.length - 1; i >= 0; i--) {
      const field = this.loaded[i]!.extension?.options.get(name);
      if (field !== undefined) return [this.loaded[i]!, field];
    }
    return undefined;
  }

  /** An option nobody knows loads the match of the protocol, once. */
  private readImplied(option: OptionWord): boolean {
    const protocol = this.head.protocol;
    if (protocol === undefined || protocol.negated) return false;
    const extension = impliedMatch(protocol.value, this.setting.family);
    const field = extension?.options.get(option.name) ?? byPrefix(extension?.fields ?? [], option.name);
    if (extension === undefined || field === undefined || this.matches.some((m) => m.extension === extension))
      return false;
    const match = load(extension, extension.name);
    this.matches.push(match);
    this.loaded.push(match);
    this.readField(match, field, option);
    return true;
  }

  /** getopt_long(3) takes any beginning that only one option has. */
  private readAbbreviated(option: OptionWord): boolean {
    if (!option.name.startsWith("--") || option.name.length < 4) return false;
    const found: (readonly [Loaded, KeyedField])[] = [];
    for (const loaded of this.loaded) {
      for (const field of loaded.extension?.fields ?? []) {
        const names = [field.option, ...field.also];
        if (names.some((name) => name.startsWith(option.name))) found.push([loaded, field]);
      }
    }
    const base = baseByPrefix(option.name);
    if (found.length + base.length !== 1) return false;
    if (base[0] !== undefined) this.readBase(base[0], option);
    else this.readField(found[0]![0], found[0]![1], option);
    return true;
  }

  private readField(loaded: Loaded, field: KeyedField, option: OptionWord): void {
    const at = this.index;
    if (this.bang !== undefined) loaded.words.push(this.bang);
    loaded.words.push(this.index++);
    let negated = this.takeBang(field.negatable, field.option, loaded);
    const values: string[] = [];
    if (option.inline !== undefined) values.push(option.inline);
    const { texts } = this.words;
    while (values.length < field.value.words) {
      const next = texts[this.index];
      if (next === "!" && field.negatable && !negated && values.length === 0 && !field.value.optional) {
        // Before 1.4.3 the mark stood behind the option.
        negated = true;
        loaded.words.push(this.index++);
        continue;
      }
      if (next === undefined || (field.value.optional && (next === "!" || next.startsWith("-")))) break;
      values.push(next);
      loaded.words.push(this.index++);
    }
    if (values.length < field.value.words && !field.value.optional) {
      this.complain("iptables-missing-value", `${field.option} wants ${field.value.expects}`, at);
      loaded.broken = true;
      return;
    }
    const value = field.value.read(values, this.setting);
    if (value === undefined) {
      const shown = values.join(" ").slice(0, 80);
      this.complain(
        "iptables-bad-value",
        `${field.option} wants ${field.value.expects}, not "${shown}"`,
        this.index - 1,
      );
      loaded.broken = true;
    } else give(loaded, field, value, negated, at, this.setting.report);
  }

  private takeBang(allowed: boolean, option: string, loaded?: Loaded): boolean {
    const at = this.bang;
    if (at === undefined) return false;
    this.bang = undefined;
    if (!allowed) {
      this.complain("iptables-not-negatable", `${option} cannot be negated`, at);
      if (loaded !== undefined) loaded.broken = true;
    }
    return true;
  }

  private readBase(base: BaseOption, option: OptionWord): void {
    const at = this.index;
    const bang = this.bang;
    if (base === "match" || base === "jump" || base === "goto") {
      const negated = this.takeBang(false, option.name);
      const name = this.nameAfter(option);
      if (name === undefined) return;
      if (base === "match") this.loadMatch(name, at, negated);
      else this.loadTarget(name, base === "goto", at);
      return;
    }
    this.bang = undefined;
    this.index = this.head.read(base, option, at, bang);
  }

  /** The name after -m, -j or -g. */
  private nameAfter(option: OptionWord): string | undefined {
    if (option.inline !== undefined) {
      this.index++;
      return option.inline;
    }
    const name = this.words.texts[this.index + 1];
    if (name === undefined) {
      this.complain("iptables-missing-value", `${option.name} wants a name`, this.index);
      this.stray.push({ kind: "unknown", name: option.name, text: rawWord(this.words, this.index) });
      this.index++;
      return undefined;
    }
    this.index += 2;
    return name;
  }

  private span(from: number): number[] {
    return Array.from({ length: this.index - from }, (_, i) => from + i);
  }

  private loadMatch(name: string, at: number, negated: boolean): void {
    const extension = findMatch(name, this.setting.family);
    if (extension === undefined)
      this.complain(
        "iptables-unknown-match",
        `the match "${name}" is not known here and is kept as text`,
        this.index - 1,
      );
    const match = load(extension, name, ...this.span(at));
    match.broken ||= negated;
    this.matches.push(match);
    this.loaded.push(match);
  }

  private loadTarget(name: string, goto: boolean, at: number): void {
    if (this.target !== undefined) {
      this.complain("iptables-option-twice", "a rule has one target only", at);
      this.attach(this.target, this.span(at));
      return;
    }
    const standard = goto ? undefined : STANDARD.get(name);
    const extension = goto || standard !== undefined ? undefined : findTarget(name, this.setting.family);
    this.target = load(extension, name, ...this.span(at));
    this.standard = standard;
    if (standard === undefined && extension === undefined) {
      if (/[\s"]/.test(name)) this.complain("iptables-bad-chain", "a chain's name has no blanks and no quotes", at + 1);
      else this.standard = { kind: "jump", chain: name, goto };
    }
    this.loaded.push(this.target);
  }

  private strayWord(): void {
    const at = this.index++;
    const owner = this.loaded[this.loaded.length - 1];
    const marks = this.bang === undefined ? [at] : [this.bang, at];
    this.bang = undefined;
    this.complain("iptables-stray-word", `"${this.words.texts[at]!.slice(0, 80)}" does not belong to any option`, at);
    this.attach(owner, marks);
  }

  private unknownOption(option: OptionWord): void {
    const at = this.index++;
    const marks = this.bang === undefined ? [at] : [this.bang, at];
    this.bang = undefined;
    const { texts } = this.words;
    while (this.index < texts.length) {
      const next = texts[this.index]!;
      if (next === "!" || (next.length > 1 && next.startsWith("-"))) break;
      marks.push(this.index++);
    }
    const owner = this.loaded[this.loaded.length - 1];
    // Options of an unknown match need no second complaint.
    if (owner === undefined || owner.extension !== undefined || owner === this.target)
      this.complain("iptables-unknown-option", `the option ${option.name.slice(0, 80)} is not known here`, at);
    this.attach(owner, marks);
  }

  /** Words that were not understood stay with the extension they stand behind, which then stays text as a whole. */
  private attach(owner: Loaded | undefined, marks: readonly number[]): void {
    if (owner === undefined) {
      const text = marks.map((i) => rawWord(this.words, i)).join(" ");
      this.stray.push({ kind: "unknown", name: this.words.texts[marks[marks.length - 1]!] ?? "", text });
      return;
    }
    append(owner.words, marks);
    owner.broken = true;
    if (owner === this.target) this.standard = undefined;
  }

  private finish(): readonly Rule[] {
    const { setting, head } = this;
    const context: RuleContext = { ...setting, protocol: head.protocol };
    const matches: Match[] = [...this.stray];
    for (const loaded of this.matches) {
      this.checkProtocol(loaded, head.protocol);
      const record = make<Match>(loaded, context, [], setting.report);
      matches.push(record ?? { kind: "unknown", name: loaded.name, text: verbatim(loaded, this.words) });
    }
    const target = this.finishTarget(context, matches);
    checkPlace(this.loaded, setting);
    const extras = {
      protocolName: head.protocolName,
      fragment: head.fragment,
      counters: head.counters ?? setting.counters,
      lossy: undefined,
    };
    const { inInterface, outInterface, protocol } = head;
    const { origin } = setting;
    return head
      .combinations()
      .map(([source, destination]) =>
        fullRule(commonRule(source, destination, inInterface, outInterface, protocol, matches, target, origin), extras),
      );
  }

  private finishTarget(context: RuleContext, matches: readonly Match[]): Target {
    const target = this.target;
    if (target === undefined) return NO_TARGET;
    if (this.standard !== undefined) return this.standard;
    this.checkProtocol(target, context.protocol);
    const record = make<Target>(target, context, matches, this.setting.report);
    return record ?? { kind: "unknown", name: target.name, text: verbatim(target, this.words) };
  }

  private checkProtocol(loaded: Loaded, protocol: Negatable<number> | undefined): void {
    const wanted = loaded.extension?.protocols;
    if (wanted === undefined || loaded.broken) return;
    if (protocol !== undefined && !protocol.negated && wanted.includes(protocol.value)) return;
    this.complain(
      "iptables-needs-protocol",
      `${loaded.name} needs -p with a protocol of its own`,
      loaded.words[0] ?? 0,
    );
  }
}
