import type { Lang } from "@hairpin/core/messages/index.ts";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { attachFinding } from "../../sweep/find.ts";
import type { Client } from "../client.ts";
import type { Query, Swept } from "../protocol.ts";
import { text, useSay, visible } from "../said.ts";

export interface SweepProps {
  readonly client: Client;
  readonly query: Query;
  readonly lang: Lang;
  readonly onAsk: (question: Query["question"]) => void;
}

/** Every flow of the case at once: the matrix, whose rows open, and whose flows can be asked. */
export function SweepPanel({ client, query, lang, onAsk }: SweepProps) {
  const say = useSay();
  const [state, setState] = useState<{ readonly swept?: Swept; readonly problem?: string; readonly busy?: true }>({});
  const root = useRef<HTMLDivElement>(null);
  const stopped = useRef(false);
  const began = useRef(0);
  const failed = (error: unknown): void =>
    setState({ problem: error instanceof Error ? error.message : String(error) });
  const { assume } = query;
  const begin = async (): Promise<void> => {
    stopped.current = false;
    began.current = performance.now();
    try {
      setState({ busy: true });
      let swept = await client.call("sweep", { assume, lang, step: "begin" });
      while (swept.html === undefined) {
        setState({ swept, busy: true });
        swept = await client.call("sweep", { assume, lang, step: stopped.current ? "show" : "go" });
      }
      setState({ swept });
    } catch (error) {
      failed(error);
    }
  };
  // What stands there is said again in the other language; nothing is asked for that.
  useEffect(() => {
    if (state.swept?.html === undefined) return;
    client.call("sweep", { assume, lang, step: "show" }).then((swept) => setState({ swept }), failed);
  }, [lang]);
  const html = state.swept?.html;
  useLayoutEffect(() => {
    if (root.current === null) return;
    root.current.innerHTML = html ?? "";
    attachFinding(root.current);
  }, [html]);
  const seconds = ({ answered, flows }: Swept): number =>
    Math.ceil(((performance.now() - began.current) / 1000) * ((flows - answered) / Math.max(1, answered)));
  return (
    <section class="panel sweep" aria-labelledby="sweep">
      <h2 id="sweep">{say(text("page.sweep"))}</h2>
      <p>{say(text("page.sweep-lead"))}</p>
      <div class="ways">
        <button type="button" class="button" disabled={state.busy === true} onClick={() => void begin()}>
          {say(text("page.sweep-begin"))}
        </button>
        {state.busy === true && (
          <button
            type="button"
            class="button"
            onClick={() => {
              stopped.current = true;
            }}
          >
            {say(text("page.sweep-stop"))}
          </button>
        )}
      </div>
      <div role="status">
        {state.busy === true && (
          <p class="busy">
            {state.swept === undefined
              ? say(text("page.sweeping"))
              : say(
                  text("page.sweep-left", {
                    answered: state.swept.answered,
                    flows: state.swept.flows,
                    seconds: seconds(state.swept),
                  }),
                )}
          </p>
        )}
      </div>
      {state.problem !== undefined && (
        <p class="problem" role="alert">
          {visible(state.problem)}
        </p>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it are made as markup; this hears them */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a button's key is a click */}
      <div
        ref={root}
        class="swept-root"
        onClick={(e) => {
          const button = (e.target as Element).closest<HTMLElement>("button.ask");
          if (button === null) return;
          const { from, to, proto, node } = button.dataset;
          onAsk({
            ...(from !== undefined && { from }),
            ...(to !== undefined && { to }),
            ...(proto !== undefined && proto !== "tcp" && { proto }),
            ...(node !== undefined && node !== "" && { node }),
          });
          scrollTo({ top: 0 });
        }}
      />
    </section>
  );
}
