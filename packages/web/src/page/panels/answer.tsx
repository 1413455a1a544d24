import type { Lang } from "@hairpin/core/messages/index.ts";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { attachCopying } from "../../report/copy.ts";
import { attachJumps } from "../../report/jump.ts";
import { printAnswer } from "../../report/print.ts";
import { attachSteppers } from "../../report/stepper.ts";
import type { Client } from "../client.ts";
import { download } from "../download.ts";
import { caseLink, MOST_LINK, packState } from "../links.ts";
import type { Answered, Query } from "../protocol.ts";
import { text, useSay } from "../said.ts";
import { sizeText } from "../size.ts";
import { WhatIf } from "./what-if.tsx";

export interface AnswerProps {
  readonly client: Client;
  readonly answered: Answered;
  readonly query: Query;
  /** The same with what is being walked at this moment. */
  readonly chosen: Query;
  /** Why a change was refused. */
  readonly problem: string | undefined;
  /** The worked case this is, and its own question. */
  readonly story: string | undefined;
  readonly own: Query;
  readonly lang: Lang;
  readonly onQuery: (query: Query) => void;
  readonly onProblem: (problem: string) => void;
}

/** The answer as the report has it, with what can be changed between the verdict and the walk. */
export function AnswerPanel(props: AnswerProps) {
  const { client, answered, query, chosen, problem, lang, onQuery, onProblem } = props;
  const say = useSay();
  const root = useRef<HTMLElement>(null);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const keep = (name: string, type: string, work: () => Promise<string>) => (): void =>
    void attempt(async () => download(name, type, await work()));
  useLayoutEffect(() => {
    if (root.current !== null) attachJumps(root.current);
  }, []);
  const { parts } = answered;
  return (
    <section class="answer" ref={root} aria-label={say(text("page.answer"))} data-verdict={answered.verdict}>
      <Markup html={parts.verdict} />
      <p class="tools">
        <button
          type="button"
          onClick={keep("hairpin-report.html", "text/html", () => client.call("report", { query, lang }))}
        >
          {say(text("page.export"))}
        </button>
        <button
          type="button"
          onClick={keep("hairpin-state.json", "application/json", () => client.call("save", { query }))}
        >
          {say(text("page.save"))}
        </button>
        <Share {...props} attempt={attempt} />
        <button type="button" class="print" onClick={() => printAnswer(false)}>
          {say(text("report.print"))}
        </button>
        {(query.patches.length > 0 || query.assume.length > 0) && (
          <button type="button" class="as-it-is" onClick={() => onQuery({ ...query, patches: [], assume: [] })}>
            {say(text("page.reset"))}
          </button>
        )}
        <a class="to-question" href="#question">
          {say(text("page.ask-another"))}
        </a>
        <span class="took">{say(text("page.took", { ms: answered.milliseconds }))}</span>
      </p>
      <div class="act">
        <Markup html={parts.why} />
        <Markup html={parts.fixes} />
      </div>
      <WhatIf answered={answered} query={chosen} tried={query} problem={problem} onQuery={onQuery} />
      <Markup html={parts.walk} closed />
      <Markup html={parts.rest} />
    </section>
  );
}

/** A link that opens this very answer: of a worked case its name, of anything else the dumps themselves, where they are small enough. */
function Share({ client, query, story, own, attempt }: AnswerProps & { attempt: (w: () => Promise<void>) => void }) {
  const say = useSay();
  const [told, setTold] = useState("");
  const share = async (): Promise<void> => {
    const here = location.href.replace(/#.*$/, "");
    const hash =
      story === undefined
        ? `#state=${await packState(await client.call("save", { query }))}`
        : caseLink(story, query, own);
    if (hash.length > MOST_LINK)
      return setTold(say(text("page.link-too-long", { size: sizeText(hash.length), most: sizeText(MOST_LINK) })));
    await navigator.clipboard.writeText(`${here}${hash}`);
    setTold(say(text(story === undefined ? "page.link-holds" : "page.link-copied", { size: sizeText(hash.length) })));
  };
  return (
    <>
      <button type="button" class="share" onClick={() => attempt(share)}>
        {say(text("page.share"))}
      </button>
      <span role="status" class="meta shared">
        {told}
      </span>
    </>
  );
}

/** Markup that the worker made: every value in it was escaped there (html/html.ts). */
function Markup({ html, closed }: { readonly html: string; readonly closed?: boolean }) {
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (root.current === null) return;
    const wasOpen = root.current.querySelector<HTMLDetailsElement>(".whole-walk")?.open === true;
    root.current.innerHTML = html;
    const walk = root.current.querySelector<HTMLDetailsElement>(".whole-walk");
    if (walk !== null && closed === true) walk.open = wasOpen;
    attachSteppers(root.current);
    attachCopying(root.current);
  }, [html]);
  return <div ref={root} />;
}
