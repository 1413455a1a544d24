import type { Lang } from "@hairpin/core/messages/index.ts";
import type { Verdict } from "@hairpin/core/trace/index.ts";
import { text, useSay, visible } from "../said.ts";

export interface HeaderProps {
  readonly lang: Lang;
  readonly onLang: (lang: Lang) => void;
  readonly busy: "reading" | "walking" | undefined;
  /** Of the answer that is shown: said to those who do not see it appear. */
  readonly verdict: Verdict | undefined;
  readonly problem: string | undefined;
}

export function Header({ lang, onLang, busy, verdict, problem }: HeaderProps) {
  const say = useSay();
  return (
    <header class="top">
      <div class="brand">
        <h1>Hairpin</h1>
        <p>{say(text("page.tagline"))}</p>
        <p class="private">{say(text("page.private"))}</p>
        <label class="lang">
          <span class="sr">{say(text("page.language"))}</span>
          <select value={lang} onChange={(e) => onLang(e.currentTarget.value as Lang)}>
            <option value="en">English</option>
            <option value="zh">中文</option>
          </select>
        </label>
      </div>
      <div class="status" role="status">
        {busy !== undefined && <p class="busy">{say(text(`page.${busy}`))}</p>}
        {busy === undefined && verdict !== undefined && <p class="sr">{say(text(`verdict.${verdict}`))}</p>}
      </div>
      {problem !== undefined && (
        <div class="problem" role="alert">
          <strong>{say(text("page.problem"))}</strong>
          {problem.split("\n").map((line) => (
            <p key={line}>{visible(line)}</p>
          ))}
        </div>
      )}
    </header>
  );
}
