import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { attachCopying } from "../../report/copy.ts";
import type { BundledCase } from "../app.tsx";
import { Language, text, useSay } from "../said.ts";

/** Three that show what it is about: a drop, chance, and data that dies after a handshake that works. */
const SHOWN = ["hairpin-mode-off", "lb-loops-back", "overlay-mtu"];

const COMMANDS = [
  ["page.collect-node", "sudo hairpin collect"],
  ["page.collect-cluster", "hairpin collect --kubectl"],
  ["page.collect-kubectl", "kubectl get services,endpointslices,nodes,networkpolicies -A -o yaml > objects.yaml"],
  ["page.collect-plain", "(iptables-save; ip addr; ip rule; ip route show table all; sysctl net) > node.txt 2>&1"],
] as const;

/** The page without a case: where dumps come from, what an answer looks like, and what becomes of what is given. */
export function StartPanel({ cases }: { readonly cases: readonly BundledCase[] }) {
  const say = useSay();
  const lang = useContext(Language);
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (root.current !== null) attachCopying(root.current);
  }, []);
  return (
    <div class="start" ref={root}>
      <section class="panel" aria-labelledby="start-collect">
        <h2 id="start-collect">{say(text("page.start-collect"))}</h2>
        <dl>
          {COMMANDS.map(([id, command]) => (
            <div key={command}>
              <dt>{say(text(id))}</dt>
              <dd>
                <pre class="commands">{command}</pre>
              </dd>
            </div>
          ))}
        </dl>
        <p class="meta">{say(text("page.collect-both"))}</p>
      </section>
      <section class="panel" aria-labelledby="start-examples">
        <h2 id="start-examples">{say(text("page.start-examples"))}</h2>
        <ul class="examples">
          {SHOWN.flatMap((name) => cases.find((c) => c.name === name) ?? []).map((c) => (
            <li key={c.name}>
              <a href={`#case=${c.name}`}>
                <b>{c.told[lang].title}</b>
                <span class="meta">{firstSentence(c.told[lang].story)}</span>
              </a>
            </li>
          ))}
        </ul>
      </section>
      <section class="panel" aria-labelledby="start-private">
        <h2 id="start-private">{say(text("page.start-private"))}</h2>
        <p>{say(text("page.private-how"))}</p>
        <p>{say(text("page.private-kept"))}</p>
      </section>
    </div>
  );
}

function firstSentence(story: string): string {
  const words = story.replace(/\s*\n\s*/g, " ").replaceAll("`", "");
  return /^.*?(?:[.:](?=\s|$)|[。；：])/.exec(words)?.[0].replace(/[:：]$/, "") ?? words;
}
