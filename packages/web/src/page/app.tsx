import type { Lang } from "@hairpin/core/messages/index.ts";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Client } from "./client.ts";
import { AnswerPanel } from "./panels/answer.tsx";
import { ComparePanel } from "./panels/compare.tsx";
import { DumpsPanel } from "./panels/dumps.tsx";
import { Header } from "./panels/header.tsx";
import { QuestionPanel } from "./panels/question.tsx";
import { UnderstoodPart } from "./panels/understood.tsx";
import type { Answered, InputFile, Query, Understood } from "./protocol.ts";
import { Language } from "./said.ts";

export interface BundledCase {
  readonly name: string;
  readonly title: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

export interface AppProps {
  readonly client: Client;
  readonly cases: readonly BundledCase[];
  /** A state that the server put into the page. */
  readonly input: string | undefined;
}

const EMPTY: Query = { question: {}, assume: [], patches: [] };
const startLang = (): Lang => (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");
const isComplete = ({ question }: Query): boolean => (question.from ?? "") !== "" && (question.to ?? "") !== "";

export function App({ client, cases, input: supplied }: AppProps) {
  const [lang, setLang] = useState<Lang>(startLang);
  const [busy, setBusy] = useState<"reading" | "walking" | undefined>();
  const [problem, setProblem] = useState<string | undefined>();
  const [understood, setUnderstood] = useState<Understood | undefined>();
  const [query, setQuery] = useState<Query>(EMPTY);
  const [answered, setAnswered] = useState<Answered | undefined>();
  const newest = useRef(0);
  const loads = useRef(0);

  /** Only what was asked last may show: an older answer that comes late is dropped. */
  const latest = useCallback(async <T,>(doing: typeof busy, work: () => Promise<T>, then: (value: T) => void) => {
    const mine = ++newest.current;
    setBusy(doing);
    setProblem(undefined);
    try {
      const value = await work();
      if (mine === newest.current) then(value);
    } catch (error) {
      if (mine === newest.current) setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      if (mine === newest.current) setBusy(undefined);
    }
  }, []);

  const ask = useCallback(
    (requested: Query, language: Lang) => {
      setQuery(requested);
      if (!isComplete(requested)) return;
      void latest("walking", () => client.call("ask", { query: requested, lang: language }), setAnswered);
    },
    [client, latest],
  );

  const take = useCallback(
    (work: () => Promise<Understood>) => {
      setAnswered(undefined);
      setUnderstood(undefined);
      void latest("reading", work, (found) => {
        loads.current++;
        setUnderstood(found);
        setQuery(found.query);
        if (isComplete(found.query)) ask(found.query, lang);
      });
    },
    [latest, ask, lang],
  );

  const load = useCallback(
    (files: readonly InputFile[]) => {
      if (files.length === 0) return;
      take(() =>
        client.call(
          "load",
          { files },
          files.map((f) => f.bytes.buffer as ArrayBuffer),
        ),
      );
    },
    [client, take],
  );

  useEffect(() => {
    if (supplied !== undefined) take(() => client.call("state", { json: supplied }));
    // Once, when the page opens.
  }, []);

  useEffect(() => {
    document.documentElement.lang = lang === "zh" ? "zh-Hans" : "en";
  }, [lang]);

  const speak = (language: Lang): void => {
    setLang(language);
    if (answered !== undefined) ask(query, language);
  };

  return (
    <Language.Provider value={lang}>
      <Header lang={lang} onLang={speak} busy={busy} verdict={answered?.verdict} problem={problem} />
      <main>
        <div class="asking">
          <DumpsPanel cases={cases} onFiles={load} busy={busy === "reading"}>
            {understood !== undefined && <UnderstoodPart understood={understood} />}
          </DumpsPanel>
          {understood !== undefined && (
            <QuestionPanel
              key={loads.current}
              client={client}
              query={query}
              controls={understood.controls}
              onAsk={(question) => ask({ question, assume: query.assume, patches: query.patches }, lang)}
            />
          )}
        </div>
        {answered !== undefined && (
          <AnswerPanel
            client={client}
            answered={answered}
            query={query}
            lang={lang}
            onQuery={(q) => ask(q, lang)}
            onProblem={setProblem}
          />
        )}
        {understood !== undefined && <ComparePanel client={client} query={query} lang={lang} />}
      </main>
    </Language.Provider>
  );
}
