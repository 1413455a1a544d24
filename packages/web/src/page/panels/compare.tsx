import type { Lang } from "@hairpin/core/messages/index.ts";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Client } from "../client.ts";
import type { InputFile, Query } from "../protocol.ts";
import { text, useSay, visible } from "../said.ts";
import { FileButton } from "./files.tsx";

export interface CompareProps {
  readonly client: Client;
  readonly query: Query;
  readonly lang: Lang;
}

/** A second snapshot beside the one that is asked. */
export function ComparePanel({ client, query, lang }: CompareProps) {
  const say = useSay();
  const [state, setState] = useState<{ readonly html?: string; readonly problem?: string; readonly busy?: true }>({});
  const root = useRef<HTMLDivElement>(null);
  const take = async (files: readonly InputFile[]): Promise<void> => {
    if (files.length === 0) return;
    setState({ busy: true });
    try {
      setState({ html: await client.call("compare", { files, query, lang }) });
    } catch (error) {
      setState({ problem: error instanceof Error ? error.message : String(error) });
    }
  };
  useLayoutEffect(() => {
    if (root.current !== null) root.current.innerHTML = state.html ?? "";
  }, [state.html]);
  return (
    <section class="panel compare" aria-labelledby="compare">
      <h2 id="compare">{say(text("page.compare"))}</h2>
      <p>{say(text("page.compare-lead"))}</p>
      <div class="ways">
        <FileButton label={say(text("page.compare-choose"))} onFiles={(f) => void take(f)} />
        <FileButton label={say(text("page.compare-folder"))} onFiles={(f) => void take(f)} folder />
      </div>
      <div role="status">{state.busy === true && <p class="busy">{say(text("page.comparing"))}</p>}</div>
      {state.problem !== undefined && (
        <p class="problem" role="alert">
          {visible(state.problem)}
        </p>
      )}
      <div ref={root} class="compared" />
    </section>
  );
}
