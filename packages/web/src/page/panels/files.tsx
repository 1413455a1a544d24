import type { ComponentChildren } from "preact";
import { useContext, useRef } from "preact/hooks";
import type { BundledCase } from "../app.tsx";
import { chosenFiles, pasted } from "../input-files.ts";
import type { InputFile, Upload } from "../protocol.ts";
import { Language, text, useSay, visible } from "../said.ts";
import { sizeText } from "../size.ts";

export interface FilesProps {
  readonly cases: readonly BundledCase[];
  readonly given: readonly Upload[];
  readonly onFiles: (files: readonly InputFile[]) => void;
  readonly onCase: (name: string) => void;
  /** One of them, or all. */
  readonly onRemove: (name: string | undefined) => void;
  readonly problem: string | undefined;
  readonly busy: boolean;
  readonly children: ComponentChildren;
}

/** Everything that brings dumps in: drop, choose, paste, or a case that came with the page; and what is there. */
export function FilesPanel({ cases, given, onFiles, onCase, onRemove, problem, busy, children }: FilesProps) {
  const say = useSay();
  const lang = useContext(Language);
  const paste = useRef<HTMLTextAreaElement>(null);
  const some = given.length > 0;
  return (
    <section class="panel dumps" aria-labelledby="dumps">
      <h2 id="dumps">{say(text("page.dumps"))}</h2>
      {problem !== undefined && <ProblemText message={problem} />}
      {some && <GivenList given={given} onRemove={onRemove} />}
      <div class="drop" aria-busy={busy}>
        <p>{say(text(some ? "page.drop-more" : "page.drop"))}</p>
        <div class="ways">
          <FileButton label={say(text("page.choose-files"))} onFiles={onFiles} />
          <FileButton label={say(text("page.choose-folder"))} onFiles={onFiles} folder />
        </div>
      </div>
      <details class="paste">
        <summary>{say(text("page.paste"))}</summary>
        <label for="paste">{say(text("page.paste-label"))}</label>
        <textarea id="paste" ref={paste} rows={8} spellcheck={false} />
        <button
          type="button"
          onClick={() => {
            const supplied = paste.current?.value ?? "";
            if (supplied.trim() !== "") onFiles([pasted(supplied)]);
          }}
        >
          {say(text("page.paste-read"))}
        </button>
      </details>
      {cases.length > 0 && (
        <p class="cases">
          <label for="case">{say(text("page.case"))}</label>{" "}
          <select
            id="case"
            value=""
            onChange={(e) => {
              onCase(e.currentTarget.value);
              e.currentTarget.value = "";
            }}
          >
            <option value="">{say(text("page.case-choose"))}</option>
            {cases.map((c) => (
              <option key={c.name} value={c.name}>
                {c.told[lang].title}
              </option>
            ))}
          </select>
        </p>
      )}
      {children}
    </section>
  );
}

function GivenList({ given, onRemove }: Pick<FilesProps, "given" | "onRemove">) {
  const say = useSay();
  return (
    <div class="given">
      <ul>
        {given.map((g) => (
          <li key={g.name}>
            <span class="given-name">
              <code>{visible(g.name)}</code>{" "}
              <span class="meta">
                {g.files.length > 1 && `${say(text("page.file-count", { count: g.files.length }))}, `}
                {sizeText(g.files.reduce((n, f) => n + f.bytes.length, 0))}
              </span>
            </span>
            <button
              type="button"
              class="remove"
              aria-label={say(text("page.remove", { name: visible(g.name) }))}
              title={say(text("page.remove", { name: visible(g.name) }))}
              onClick={() => onRemove(g.name)}
            >
              <span aria-hidden="true">✕</span>
            </button>
          </li>
        ))}
      </ul>
      <p class="meta">
        {say(text("page.kept"))}{" "}
        <button type="button" class="link remove-all" onClick={() => onRemove(undefined)}>
          {say(text("page.remove-all"))}
        </button>
      </p>
    </div>
  );
}

/** What went wrong, at the field it is about. */
export function ProblemText({ message, id }: { readonly message: string; readonly id?: string }) {
  return (
    <div class="problem" role="alert" {...(id === undefined ? {} : { id })}>
      {message.split("\n").map((line) => (
        <p key={line}>{visible(line)}</p>
      ))}
    </div>
  );
}

export interface FileButtonProps {
  readonly label: string;
  readonly onFiles: (files: readonly InputFile[]) => void;
  readonly folder?: boolean;
}

/** A file chooser that looks and works like a button. */
export function FileButton({ label, onFiles, folder }: FileButtonProps) {
  return (
    <label class="button">
      {label}
      <input
        type="file"
        multiple
        class="sr"
        {...(folder === true ? { webkitdirectory: true } : {})}
        onChange={async (e) => {
          const input = e.currentTarget;
          if (input.files !== null) onFiles(await chosenFiles(input.files));
          input.value = "";
        }}
      />
    </label>
  );
}
