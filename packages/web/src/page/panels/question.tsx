import type { QuestionOptions } from "@hairpin/core/diagnose/index.ts";
import { SEES, type Sees } from "@hairpin/core/model/observed/sees.ts";
import { useId, useState } from "preact/hooks";
import type { Problem } from "../app.tsx";
import type { Client } from "../client.ts";
import type { Query, Understood } from "../protocol.ts";
import { text, useSay, visible } from "../said.ts";
import { ProblemText } from "./files.tsx";

export interface QuestionProps {
  readonly client: Client;
  readonly query: Query;
  readonly problem: Problem | undefined;
  readonly controls: Understood["controls"];
  readonly onAsk: (question: QuestionOptions) => void;
}

const MORE = ["in", "node", "bind", "sport", "size"] as const;

/** From whom to whom, with completion over the names and addresses found. */
export function QuestionPanel({ client, query, problem, controls, onAsk }: QuestionProps) {
  const say = useSay();
  const [question, setQuestion] = useState<QuestionOptions>(query.question);
  const set = (name: keyof QuestionOptions, value: string): void => {
    const { [name]: _, ...rest } = question;
    setQuestion(value.trim() === "" ? rest : { ...rest, [name]: value.trim() });
  };
  const try_ = (requested: QuestionOptions): void => {
    setQuestion(requested);
    onAsk(requested);
  };
  const wrong = (field: string): string | undefined => {
    if (problem?.option !== field) return undefined;
    const option = `--${field} `;
    return problem.message.startsWith(option) ? problem.message.slice(option.length) : problem.message;
  };
  return (
    <section class="panel question" aria-labelledby="question">
      <h2 id="question">{say(text("page.question"))}</h2>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          onAsk(question);
        }}
      >
        <label class="field">
          <span>{say(text("page.sees"))}</span>
          <select name="sees" value={question.sees ?? ""} onChange={(e) => set("sees", e.currentTarget.value)}>
            {["", ...SEES].map((s) => (
              <option key={s} value={s}>
                {s === "" ? say(text("page.sees-unsaid")) : say(text(`page.sees.${s as Sees}`))}
              </option>
            ))}
          </select>
        </label>
        <Name
          client={client}
          field="from"
          value={question.from ?? ""}
          wrong={wrong("from")}
          onValue={(v) => set("from", v)}
        />
        <Name client={client} field="to" value={question.to ?? ""} wrong={wrong("to")} onValue={(v) => set("to", v)} />
        <label class="field">
          <span>{say(text("page.protocol"))}</span>
          <select value={question.proto ?? "tcp"} onChange={(e) => set("proto", e.currentTarget.value)}>
            {["tcp", "udp", "sctp", "icmp"].map((p) => (
              <option key={p} value={p}>
                {p}
              </option>
            ))}
          </select>
        </label>
        <details open={MORE.some((name) => wrong(name) !== undefined)}>
          <summary>{say(text("page.more-options"))}</summary>
          <div class="more">
            {MORE.map((name) => (
              <label class="field" key={name}>
                <span>{say(text(`page.${name}`))}</span>
                <input
                  name={name}
                  value={String(question[name] ?? "")}
                  aria-invalid={wrong(name) !== undefined}
                  onInput={(e) => set(name, e.currentTarget.value)}
                />
                <Wrong message={wrong(name)} />
              </label>
            ))}
            <label class="field">
              <span>{say(text("page.via"))}</span>
              <select value={question.via ?? ""} onChange={(e) => set("via", e.currentTarget.value)}>
                {["", "clusterip", "nodeport", "loadbalancer", "external"].map((v) => (
                  <option key={v} value={v}>
                    {v}
                  </option>
                ))}
              </select>
            </label>
          </div>
        </details>
        <button type="submit" class="main" disabled={(question.from ?? "") === "" || (question.to ?? "") === ""}>
          {say(text("page.ask"))}
        </button>
      </form>
      {controls.length > 0 && (
        <div class="controls">
          <h3>{say(text("page.controls"))}</h3>
          <ul>
            {controls.map((c) => (
              <li key={c.name}>
                <button type="button" onClick={() => try_({ ...withoutWord(query.question), ...c.question })}>
                  {visible(c.name)}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

/** What the client saw is said of the asked flow only. */
const withoutWord = ({ sees: _, ...question }: QuestionOptions): QuestionOptions => question;

interface NameProps {
  readonly client: Client;
  readonly field: "from" | "to";
  readonly value: string;
  readonly wrong: string | undefined;
  readonly onValue: (value: string) => void;
}

function Name({ client, field, value, wrong, onValue }: NameProps) {
  const say = useSay();
  const [options, setOptions] = useState<readonly string[]>([]);
  const id = useId();
  const complete = async (typed: string): Promise<void> => {
    try {
      setOptions(await client.call("complete", { text: typed, field }));
    } catch {
      setOptions([]);
    }
  };
  return (
    <label class="field">
      <span>{say(text(`page.${field}`))}</span>
      <input
        id={`${id}-${field}`}
        name={field}
        list={`${id}-${field}-list`}
        value={value}
        placeholder={say(text(`page.${field}-hint`))}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={wrong !== undefined}
        {...(wrong === undefined ? {} : { "aria-describedby": `${field}-problem` })}
        onFocus={(e) => void complete(e.currentTarget.value)}
        onInput={(e) => {
          onValue(e.currentTarget.value);
          void complete(e.currentTarget.value);
        }}
      />
      <datalist id={`${id}-${field}-list`}>
        {options.map((o) => (
          <option key={o} value={visible(o)} />
        ))}
      </datalist>
      <Wrong message={wrong} id={`${field}-problem`} />
    </label>
  );
}

const Wrong = ({ message, id }: { readonly message: string | undefined; readonly id?: string }) =>
  message === undefined ? null : <ProblemText message={message} {...(id === undefined ? {} : { id })} />;
