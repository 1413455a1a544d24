import { type Lang, say } from "@hairpin/core/messages/index.ts";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Client, Refused } from "./client.ts";
import { added, droppedFiles, givenOf } from "./input-files.ts";
import { keep, keepLanguage, kept, keptLanguage } from "./keep.ts";
import { caseLink, readLink, unpackState } from "./links.ts";
import { AnswerPanel } from "./panels/answer.tsx";
import { ComparePanel } from "./panels/compare.tsx";
import { FilesPanel } from "./panels/files.tsx";
import { Header } from "./panels/header.tsx";
import { QuestionPanel } from "./panels/question.tsx";
import { StartPanel } from "./panels/start.tsx";
import { StoryPanel } from "./panels/story.tsx";
import { SweepPanel } from "./panels/sweep.tsx";
import { UnderstoodPart } from "./panels/understood.tsx";
import type { Answered, InputFile, Query, State, Understood, Upload } from "./protocol.ts";
import { Language, text, useSay } from "./said.ts";

/** A title and what happened, in each language. */
export interface CaseStory {
  readonly title: string;
  readonly story: string;
}

export interface BundledCase {
  readonly name: string;
  readonly told: Readonly<Record<Lang, CaseStory>>;
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

export interface AppProps {
  readonly client: Client;
  readonly cases: readonly BundledCase[];
  /** A state that the server put into the page. */
  readonly input: string | undefined;
}

/** What went wrong, and which field it is about. */
export interface Problem {
  readonly message: string;
  readonly option: string | undefined;
}

/** Everything the page is about at a moment. */
interface Loaded {
  readonly given: readonly Upload[];
  readonly understood: Understood;
  /** The worked case these files are, as it came. */
  readonly story: string | undefined;
}

const EMPTY: Query = { question: {}, assume: [], patches: [] };
const startLang = (): Lang => keptLanguage() ?? (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");
const isComplete = ({ question }: Query): boolean => (question.from ?? "") !== "" && (question.to ?? "") !== "";
const hasQuestion = (query: Query): boolean => Object.keys(query.question).length > 0;
/** Fields that have a place for their own error. */
const FIELDS: ReadonlySet<string | undefined> = new Set([
  ...["from", "to", "proto", "sees", "in", "node", "via", "bind", "sport", "size"],
  ...["try", "files"],
]);

export function App({ client, cases, input: supplied }: AppProps) {
  const [lang, setLang] = useState<Lang>(startLang);
  const [busy, setBusy] = useState<"reading" | "walking" | undefined>();
  const [problem, setProblem] = useState<Problem | undefined>();
  const [loaded, setLoaded] = useState<Loaded | undefined>();
  const [query, setQuery] = useState<Query>(EMPTY);
  /** What is being walked: shown as chosen at once, taken back where it is refused. */
  const [pending, setPending] = useState<Query | undefined>();
  const [answered, setAnswered] = useState<Answered | undefined>();
  const [over, setOver] = useState(false);
  const newest = useRef(0);
  const loads = useRef(0);
  /** Questions that were chosen elsewhere than in the form. */
  const chosen = useRef(0);
  const speaks = useRef(lang);
  speaks.current = lang;

  /** Only what was asked last may show: an older answer that comes late is dropped. */
  const latest = useCallback(
    async <T,>(doing: typeof busy, work: () => Promise<T>, then: (value: T) => void, failed: (p: Problem) => void) => {
      const mine = ++newest.current;
      setBusy(doing);
      setProblem(undefined);
      try {
        const value = await work();
        if (mine === newest.current) then(value);
      } catch (error) {
        if (mine === newest.current) failed(problemOf(error, speaks.current));
      } finally {
        if (mine === newest.current) setBusy(undefined);
      }
    },
    [],
  );

  const ask = useCallback(
    (requested: Query, language: Lang = speaks.current) => {
      if (!isComplete(requested)) return setQuery(requested);
      setPending(requested);
      void latest(
        "walking",
        () => client.call("ask", { query: requested, lang: language }),
        (found) => {
          setPending(undefined);
          setQuery(requested);
          setAnswered(found);
        },
        (refused) => {
          setPending(undefined);
          setProblem(refused);
          // A change that was refused was not tried: what stands there is still the answer.
          if (refused.option === "try") return;
          setQuery(requested);
          setAnswered(undefined);
        },
      );
    },
    [client, latest],
  );

  const read = useCallback(
    (given: readonly Upload[], story: string | undefined, asked: (found: Understood) => Query) => {
      setPending(undefined);
      if (given.length === 0) {
        newest.current++;
        setLoaded(undefined);
        setAnswered(undefined);
        setProblem(undefined);
        setBusy(undefined);
        setQuery(EMPTY);
        return;
      }
      void latest(
        "reading",
        () => client.call("load", { given }),
        (understood) => {
          loads.current++;
          setAnswered(undefined);
          setLoaded({ given, understood, story });
          const wanted = asked(understood);
          setQuery({ ...wanted, patches: [] });
          ask(wanted);
        },
        // What was read before is still there: nothing of this was taken.
        (refused) => setProblem({ ...refused, option: "files" }),
      );
    },
    [client, latest, ask],
  );

  /** What is there and more beside it. The question stays, unless there was none. */
  const add = useCallback(
    async (files: readonly InputFile[]) => {
      const [only] = files;
      if (only === undefined) return;
      const state = files.length === 1 && only.bytes[0] === 123 ? await stateIn(client, only) : null;
      if (state !== null) return openState(state, only.path);
      read(added(loaded?.given ?? [], givenOf(files)), undefined, (found) =>
        hasQuestion(query) ? query : found.query,
      );
    },
    [client, read, loaded, query],
  );

  const openState = (state: State, name: string): void =>
    read([{ name, files: state.files, whole: true }], undefined, (found) =>
      hasQuestion(state.query) ? state.query : found.query,
    );

  const openCase = (name: string, asked?: Query): void => {
    const found = cases.find((c) => c.name === name);
    if (found === undefined) {
      setProblem({ message: say(text("page.no-case", { name }), speaks.current), option: "files" });
      return;
    }
    const files = found.files.map((f) => ({ path: f.path, bytes: new TextEncoder().encode(f.text) }));
    read([{ name, files, whole: true }], name, (understood) => asked ?? understood.query);
  };

  const openLink = async (hash: string): Promise<boolean> => {
    const link = readLink(hash);
    if (link === undefined) return false;
    if (link.kind === "case") {
      openCase(link.name, link.query);
      return true;
    }
    try {
      const state = await client.call("state", { json: await unpackState(link.packed) });
      if (state === null) return false;
      openState(state, "link");
      return true;
    } catch (error) {
      setProblem({ ...problemOf(error, speaks.current), option: "files" });
      return false;
    }
  };

  useEffect(() => {
    const start = async (): Promise<void> => {
      if (supplied !== undefined) {
        const state = await client.call("state", { json: supplied });
        if (state !== null) openState(state, state.files.length === 1 ? state.files[0]!.path : "case");
        return;
      }
      if (await openLink(location.hash)) return;
      const session = await kept();
      if (session !== undefined && loads.current === 0)
        read(session.given, session.story, (found) => (hasQuestion(session.query) ? session.query : found.query));
    };
    void start();
    const follow = (): void => void openLink(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
    // Once, when the page opens.
  }, []);

  useEffect(() => {
    document.documentElement.lang = lang === "zh" ? "zh-Hans" : "en";
  }, [lang]);

  // The address of a worked case is its link; a reload keeps the rest.
  useEffect(() => {
    if (supplied !== undefined || busy === "reading") return;
    if (loads.current > 0 || loaded !== undefined)
      void keep({ given: loaded?.given ?? [], query, story: loaded?.story });
    if (loaded === undefined && loads.current === 0) return;
    const hash = loaded?.story === undefined ? "" : caseLink(loaded.story, query, loaded.understood.query);
    if (location.hash !== hash) history.replaceState(null, "", hash === "" ? location.pathname : hash);
  }, [loaded, query, busy]);

  const speak = (language: Lang): void => {
    keepLanguage(language);
    setLang(language);
    if (answered !== undefined) ask(query, language);
  };

  const story = cases.find((c) => c.name === loaded?.story)?.told[lang];
  return (
    <Language.Provider value={lang}>
      <Words />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a short cut; the buttons do the same */}
      <div
        class={`app${loaded === undefined ? " empty" : ""}${over ? " over" : ""}`}
        onDragOver={(e) => {
          e.preventDefault();
          setOver(true);
        }}
        onDragLeave={(e) => {
          if (e.relatedTarget === null) setOver(false);
        }}
        onDrop={async (e) => {
          e.preventDefault();
          setOver(false);
          if (e.dataTransfer !== null) await add(await droppedFiles(e.dataTransfer));
        }}
      >
        <Header
          lang={lang}
          onLang={speak}
          busy={busy}
          verdict={answered?.verdict}
          problem={FIELDS.has(problem?.option) ? undefined : problem?.message}
        />
        <main>
          <div class="asking">
            {loaded !== undefined && (
              <QuestionPanel
                key={`${loads.current} ${chosen.current}`}
                client={client}
                query={query}
                problem={problem}
                controls={loaded.understood.controls}
                onAsk={(question) => ask({ question, assume: query.assume, patches: query.patches })}
              />
            )}
            <FilesPanel
              cases={cases}
              given={loaded?.given ?? []}
              onFiles={(files) => void add(files)}
              onCase={openCase}
              onRemove={(name) =>
                read(
                  (loaded?.given ?? []).filter((g) => name !== undefined && g.name !== name),
                  undefined,
                  (found) => (hasQuestion(query) ? query : found.query),
                )
              }
              problem={problem?.option === "files" ? problem.message : undefined}
              busy={busy === "reading"}
            >
              {loaded !== undefined && <UnderstoodPart understood={loaded.understood} />}
            </FilesPanel>
          </div>
          <div class="answering">
            {loaded === undefined && <StartPanel cases={cases} />}
            {story !== undefined && <StoryPanel told={story} />}
            {answered !== undefined && loaded !== undefined && (
              <AnswerPanel
                client={client}
                answered={answered}
                query={query}
                chosen={pending ?? query}
                problem={problem?.option === "try" ? problem.message : undefined}
                story={loaded.story}
                own={loaded.understood.query}
                lang={lang}
                onQuery={(q) => ask(q)}
                onProblem={(message) => setProblem({ message, option: undefined })}
              />
            )}
            {loaded !== undefined && answered === undefined && busy === undefined && <Unasked />}
            {loaded !== undefined && (
              <SweepPanel
                key={`sweep ${loads.current}`}
                client={client}
                query={query}
                lang={lang}
                onAsk={(question) => {
                  const requested = { question, assume: query.assume, patches: [] };
                  // The form is filled in anew: what was typed there was another question.
                  chosen.current++;
                  setQuery(requested);
                  ask(requested);
                }}
              />
            )}
            {loaded !== undefined && <ComparePanel client={client} query={query} lang={lang} />}
          </div>
        </main>
      </div>
    </Language.Provider>
  );
}

function Unasked() {
  const say = useSay();
  return <p class="unasked panel">{say(text("page.unasked"))}</p>;
}

/** The words of the script that copies commands. */
function Words() {
  const say = useSay();
  const [copy, copied] = [say(text("report.copy")), say(text("report.copied"))];
  useEffect(() => {
    document.body.dataset.copy = copy;
    document.body.dataset.copied = copied;
  }, [copy, copied]);
  return null;
}

const problemOf = (error: unknown, lang: Lang): Problem => ({
  message:
    error instanceof Refused
      ? error.lines.map((line) => say(line, lang)).join("\n")
      : error instanceof Error
        ? error.message
        : String(error),
  option: error instanceof Refused ? error.option : undefined,
});

/** A single JSON file may be a saved state. */
const stateIn = (client: Client, file: InputFile): Promise<State | null> =>
  client.call("state", { json: new TextDecoder().decode(file.bytes) });
