import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { BundledCase } from "../app.tsx";
import { chosenFiles, droppedFiles, pasted } from "../input-files.ts";
import type { InputFile } from "../protocol.ts";
import { text, useSay } from "../said.ts";

export interface DumpsProps {
  readonly cases: readonly BundledCase[];
  readonly onFiles: (files: readonly InputFile[]) => void;
  readonly busy: boolean;
  readonly children: ComponentChildren;
}

/** Everything that brings dumps in: drop, choose, paste, or a case that came with the page. */
export function DumpsPanel({ cases, onFiles, busy, children }: DumpsProps) {
  const say = useSay();
  const [over, setOver] = useState(false);
  const paste = useRef<HTMLTextAreaElement>(null);

  const drop = async (event: DragEvent): Promise<void> => {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer !== null) onFiles(await droppedFiles(event.dataTransfer));
  };

  const explore = (name: string): void => {
    const found = cases.find((c) => c.name === name);
    if (found === undefined) return;
    onFiles(found.files.map((f) => ({ path: f.path, bytes: new TextEncoder().encode(f.text) })));
  };

  return (
    <section class="panel dumps" aria-labelledby="dumps">
      <h2 id="dumps">{say(text("page.dumps"))}</h2>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a short cut; the buttons inside do the same */}
      <div
        class={`drop${over ? " over" : ""}`}
        aria-busy={busy}
        onDragOver={(e) => {
          e.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <p>{say(text("page.drop"))}</p>
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
          <select id="case" onChange={(e) => explore(e.currentTarget.value)}>
            <option value="">{say(text("page.case-choose"))}</option>
            {cases.map((c) => (
              <option key={c.name} value={c.name}>
                {c.title}
              </option>
            ))}
          </select>
        </p>
      )}
      {children}
    </section>
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
