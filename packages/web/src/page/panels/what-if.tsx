import { useEffect, useState } from "preact/hooks";
import type { Answered, Patch, Query, Settable } from "../protocol.ts";
import { text, useSay, visible } from "../said.ts";
import { ProblemText } from "./files.tsx";

export interface WhatIfProps {
  readonly answered: Answered;
  readonly query: Query;
  /** What the answer holds for; what is chosen may still be walked. */
  readonly tried: Query;
  /** Why a change was refused; it is not among those that are tried. */
  readonly problem: string | undefined;
  readonly onQuery: (query: Query) => void;
}

const same = (a: Patch, b: Patch): boolean => a.commands.join("\n") === b.commands.join("\n");

/** Changes to try and assumptions to turn; the walk above and below follows at once. */
export function WhatIf({ answered, query, tried, problem, onQuery }: WhatIfProps) {
  const say = useSay();
  const [typed, setTyped] = useState("");
  const { patches, assume } = query;
  const own = patches.filter((p) => !answered.trials.some((t) => same(t, p)));
  const trials = [...answered.trials, ...own.map((p) => ({ ...p, summary: p.name, proposed: false }))];
  const on = (patch: Patch): boolean => patches.some((p) => same(p, patch));
  const toggle = ({ name, commands }: Patch): void =>
    onQuery({
      ...query,
      patches: on({ name, commands })
        ? patches.filter((p) => !same(p, { name, commands }))
        : [...patches, { name, commands }],
    });
  const add = (): void => {
    const command = typed.trim();
    if (command === "") return;
    onQuery({ ...query, patches: [...patches, { name: command, commands: [command] }] });
  };
  const settle = (id: string, value: string): void => {
    const rest = assume.filter((a) => !a.startsWith(`${id}=`));
    onQuery({ ...query, assume: value === "?" ? rest : [...rest, `${id}=${value}`] });
  };
  // What was taken leaves the field; what was refused stays there, to be mended.
  useEffect(() => {
    if (tried.patches.some((p) => p.name === typed.trim())) setTyped("");
  }, [tried]);
  const groups = [
    ["settled", answered.settable.filter((s) => s.kind === "settled")],
    ["open", answered.settable.filter((s) => s.kind === "open")],
    ["assumed", answered.settable.filter((s) => s.kind === "assumed")],
  ] as const;
  return (
    <section class="panel what-if" aria-labelledby="what-if">
      <h2 id="what-if">{say(text("page.what-if"))}</h2>
      {(tried.patches.length > 0 || tried.assume.length > 0) && (
        <p class="changed">
          {tried.patches.length > 0 &&
            say(
              text("page.tried", {
                before: text(`verdict.${answered.before}`),
                after: text(`verdict.${answered.verdict}`),
              }),
            )}{" "}
          <button type="button" onClick={() => onQuery({ ...query, patches: [], assume: [] })}>
            {say(text("page.reset"))}
          </button>
        </p>
      )}
      <div class="columns">
        <fieldset class="try">
          <legend>{say(text("page.try"))}</legend>
          {trials.length === 0 && <p>{say(text("page.try-none"))}</p>}
          {trials.map((t) => (
            <label class="trial" key={t.commands.join("\n")}>
              <input type="checkbox" checked={on(t)} onChange={() => toggle(t)} />
              <span>
                {visible(t.summary)}
                {(t.proposed ? [] : t.commands.filter((c) => c !== t.summary)).map((c) => (
                  <code key={c}>{visible(c)}</code>
                ))}
              </span>
            </label>
          ))}
          <form
            class="own"
            onSubmit={(e) => {
              e.preventDefault();
              add();
            }}
          >
            <label for="own-patch">{say(text("page.try-own"))}</label>
            <input
              id="own-patch"
              value={typed}
              spellcheck={false}
              placeholder="sysctl -w net.ipv4.conf.all.rp_filter=2"
              aria-invalid={problem !== undefined}
              {...(problem === undefined ? {} : { "aria-describedby": "own-patch-problem" })}
              onInput={(e) => setTyped(e.currentTarget.value)}
            />
            <button type="submit">{say(text("page.try-add"))}</button>
            {problem !== undefined && <ProblemText id="own-patch-problem" message={problem.replaceAll("--try ", "")} />}
          </form>
        </fieldset>
        <fieldset class="assume">
          <legend>{say(text("page.assume"))}</legend>
          {answered.settable.length === 0 && <p>{say(text("page.assume-none"))}</p>}
          {groups.map(
            ([kind, list]) =>
              list.length > 0 && (
                <details key={kind} open={kind !== "assumed" || list.length <= 6}>
                  <summary>{say(text(`page.${kind}-facts`))}</summary>
                  {list.map((s) => (
                    <Choice key={s.id} settable={s} onValue={(v) => settle(s.id, v)} />
                  ))}
                </details>
              ),
          )}
        </fieldset>
      </div>
    </section>
  );
}

function Choice({ settable: s, onValue }: { readonly settable: Settable; readonly onValue: (value: string) => void }) {
  const say = useSay();
  const free = s.kind !== "assumed";
  return (
    <label class="choice" title={visible(s.id)}>
      <select value={s.value ?? "?"} data-fact={s.id} onChange={(e) => onValue(e.currentTarget.value)}>
        {free && <option value="?">{say(text("page.open"))}</option>}
        {s.values.map((v) => (
          <option key={v} value={v}>
            {visible(v)}
          </option>
        ))}
      </select>{" "}
      <span>{visible(s.text)}</span>
    </label>
  );
}
