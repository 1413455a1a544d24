import type { Lang } from "@hairpin/core/messages/index.ts";
import { useLayoutEffect, useRef } from "preact/hooks";
import { attachSteppers } from "../../report/stepper.ts";
import type { Client } from "../client.ts";
import { download } from "../download.ts";
import type { Answered, Query } from "../protocol.ts";
import { text, useSay } from "../said.ts";
import { WhatIf } from "./what-if.tsx";

export interface AnswerProps {
  readonly client: Client;
  readonly answered: Answered;
  readonly query: Query;
  readonly lang: Lang;
  readonly onQuery: (query: Query) => void;
  readonly onProblem: (problem: string) => void;
}

/** The answer as the report has it, with what can be changed between the verdict and the walk. */
export function AnswerPanel({ client, answered, query, lang, onQuery, onProblem }: AnswerProps) {
  const say = useSay();
  const keep = async (name: string, type: string, work: () => Promise<string>): Promise<void> => {
    try {
      download(name, type, await work());
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <section class="answer" aria-label={say(text("page.answer"))} data-verdict={answered.verdict}>
      <Markup html={answered.head} />
      <p class="tools">
        <button
          type="button"
          onClick={() => void keep("hairpin-report.html", "text/html", () => client.call("report", { query, lang }))}
        >
          {say(text("page.export"))}
        </button>
        <button
          type="button"
          onClick={() => void keep("hairpin-state.json", "application/json", () => client.call("save", { query }))}
        >
          {say(text("page.save"))}
        </button>
        <span class="took">{say(text("page.took", { ms: answered.milliseconds }))}</span>
      </p>
      <Markup html={answered.fixes} />
      <WhatIf answered={answered} query={query} onQuery={onQuery} />
      <Markup html={answered.walk} />
      <Markup html={answered.rest} />
    </section>
  );
}

/** Markup that the worker made: every value in it was escaped there (html/html.ts). */
function Markup({ html }: { readonly html: string }) {
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (root.current === null) return;
    root.current.innerHTML = html;
    attachSteppers(root.current);
  }, [html]);
  return <div ref={root} />;
}
