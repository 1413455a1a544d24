import { countsText, dumpTitle } from "@hairpin/core/messages/index.ts";
import { useContext } from "preact/hooks";
import type { Saying, Understood } from "../protocol.ts";
import { Language, text, useSay, visible } from "../said.ts";
import { sizeText } from "../size.ts";

const MOST_ROWS = 300;

/** What was read, what was not, and what is missing: at once, before anything is asked. */
export function UnderstoodPart({ understood }: { readonly understood: Understood }) {
  const say = useSay();
  const lang = useContext(Language);
  const { dumps, notUnderstood, contradictions, differences, missing, notes, passedOver } = understood;
  return (
    <div class="understood">
      <p class="summary">
        <strong>
          {dumps.length === 0
            ? say(text("page.nothing-understood"))
            : say(
                text("page.understood", {
                  dumps: dumps.length,
                  files: understood.files,
                  size: sizeText(understood.bytes),
                }),
              )}
        </strong>
        {dumps.length > 0 && notUnderstood.length === 0 && ` ${say(text("page.all-understood"))}`}
        {passedOver > 0 && ` ${say(text("page.passed-over", { count: passedOver }))}`}
      </p>
      {dumps.length > 0 && (
        <details>
          <summary>{say(text("page.understood-list"))}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keys */}
          <section class="scroll" tabIndex={0} aria-label={say(text("page.understood-list"))}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{say(text("page.what"))}</th>
                  <th scope="col">{say(text("page.whose"))}</th>
                  <th scope="col">{say(text("page.where"))}</th>
                  <th scope="col">{say(text("page.how-much"))}</th>
                </tr>
              </thead>
              <tbody>
                {dumps.slice(0, MOST_ROWS).map((d) => (
                  <tr key={`${d.file}:${d.lines[0]}`}>
                    <td>{visible(dumpTitle(d.dialect, d.title, lang))}</td>
                    <td>{d.stack === null ? say(text("page.cluster")) : visible(d.stack)}</td>
                    <td>
                      <code>
                        {visible(d.file)}:{d.lines[0]}–{d.lines[1]}
                      </code>
                    </td>
                    <td>
                      {d.notReadYet !== undefined && say(text("page.not-read-yet"))}
                      {countsText(Object.fromEntries(Object.entries(d.counts).filter(([, n]) => n > 0)), lang)}
                      {d.partial && ` (${say(text("page.partial"))})`}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </details>
      )}
      {notUnderstood.length > 0 && (
        <details class="bad" open>
          <summary>{say(text("page.not-understood", { count: notUnderstood.length }))}</summary>
          <ul class="lines">
            {notUnderstood.slice(0, 50).map((d) => (
              <li key={`${d.file}:${d.line}:${spoken(d.reason)}`}>
                <span class="where">
                  {visible(d.file)}:{d.line}
                </span>{" "}
                {visible(spoken(d.reason))}
                <br />
                <code>{visible(d.text.slice(0, 400))}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
      {contradictions.length > 0 && (
        <details class="bad">
          <summary>{say(text("page.contradictions", { count: contradictions.length }))}</summary>
          <ul>
            {contradictions.map((c) => (
              <li key={spoken(c)}>{visible(spoken(c))}</li>
            ))}
          </ul>
        </details>
      )}
      {differences.length > 0 && (
        <details class="bad">
          <summary>{say(text("page.differences", { count: differences.length }))}</summary>
          <ul>
            {differences.map((d) => (
              <li key={`${d.node} ${spoken(d.text)}`}>
                {visible(d.node)}: {visible(spoken(d.text))}
              </li>
            ))}
          </ul>
        </details>
      )}
      {missing.length > 0 && (
        <details>
          <summary>{say(text("page.missing", { count: missing.length }))}</summary>
          <ul>
            {missing.map((m) => (
              <li key={`${m.node} ${m.command}`}>
                {visible(m.node)}: <code class="command">{visible(spoken(m.command))}</code> {visible(spoken(m.what))},{" "}
                {visible(spoken(m.why))}
              </li>
            ))}
          </ul>
        </details>
      )}
      {notes.length > 0 && (
        <details>
          <summary>{say(text("page.notes", { count: notes.length }))}</summary>
          <ul>
            {notes.map((n) => (
              <li key={spoken(n)}>{visible(spoken(n))}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );

  function spoken(of: Saying): string {
    return typeof of === "string" ? of : "id" in of ? say(of) : of[lang];
  }
}
