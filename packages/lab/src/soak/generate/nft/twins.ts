import { type Draft, hooked } from "./draft.ts";
import { IP_HOOKS, type Words } from "./words.ts";

/** Several chains at one priority: of one table, of two tables, of both families. */
export function twins(draft: Draft, words: Words): void {
  const { random } = words;
  const hook = random.pick(IP_HOOKS);
  const priority = words.priority();
  const one = draft.table(words.family, "twins");
  const two = draft.table(words.family, "twins");
  const rules = () => [
    `meta mark ${words.mark()} ${random.pick(["drop", "accept"])}`,
    `${words.match(hook)} meta mark set ${words.mark()}`,
    `${words.match(hook)} ip dscp set ${random.pick(["cs1", "cs2", "ef"])}`,
  ];
  one.base("a", hooked(hook, priority), ...rules());
  one.base("b", hooked(hook, priority), ...rules());
  two.base("a", hooked(hook, priority), ...rules());
}
