import type { CaseStory } from "../app.tsx";
import { text, useSay } from "../said.ts";

/** What happened in a worked case, as its README tells it. */
export function StoryPanel({ told }: { readonly told: CaseStory }) {
  const say = useSay();
  // Where there is little room the answer comes first.
  const open = matchMedia("(min-width: 700px)").matches;
  return (
    <details class="story" open={open} key={told.title}>
      <summary>
        <span class="meta">{say(text("page.story"))}</span> <h2>{told.title}</h2>
      </summary>
      {told.story.split("\n\n").map((paragraph) => (
        <p key={paragraph}>{spoken(paragraph)}</p>
      ))}
    </details>
  );
}

/** Back ticks make code, as in the file itself; lines are only where it was wrapped. */
const spoken = (paragraph: string) =>
  paragraph
    .replace(/\s*\n\s*/g, " ")
    .split("`")
    .map((part, i) => (i % 2 === 1 ? <code key={part}>{part}</code> : part));
