import type { Page } from "./page.ts";

const MARKUP = /^[\s#>*_\-+•【[（(]+|[\s*_:：】\]）)]+$/g;
const WHERE = "(?:on |at |from |in |output (?:of|from|on) )?(?:the )?";
const LABELS: readonly RegExp[] = [
  // `Node 1`, `On the master:`, `## Worker node-2`
  new RegExp(
    `^${WHERE}((?:node|host|server|machine|vm|master|worker|slave|minion)(?:[ #-][\\w.-]{1,60}|\\d[\\w.-]{0,60})?)(?: node)?$`,
    "i",
  ),
  // `k8s-node1`, `my-worker-2:`
  new RegExp(`^${WHERE}([A-Za-z][\\w.-]{0,60}(?:node|master|worker|slave|minion|control-?plane)[\\w.-]{0,60})$`, "i"),
  // `节点 k8s-1`, `k8s-1 节点上`
  /^(?:在)?\s?(?:节点|主机|机器|服务器)\s?[:：]?\s?([\w.-]{1,60})\s?(?:上|端|侧)?$/,
  /^(?:在)?\s?([A-Za-z][\w.-]{1,60})\s?(?:节点|主机|机器|服务器)\s?(?:上|端|侧)?$/,
];

/** The machine that a line of text consists of: a heading or a lead-in above what was typed there. */
export function labelOf(line: string): string | undefined {
  if (line.length > 100 || line.length < 3) return undefined;
  const text = line.replace(MARKUP, "").replace(MARKUP, "");
  for (const pattern of LABELS) {
    const name = pattern.exec(text)?.[1];
    if (name !== undefined) return name.trim();
  }
  return undefined;
}

/** Labels of a page by line, for running text only. */
export function labelsOf(page: Page): readonly { readonly line: number; readonly name: string }[] {
  return page.texts.flatMap((text, line) => {
    if (page.frame[line] !== 0 || page.blocks[line] !== 0) return [];
    const name = labelOf(text);
    return name === undefined ? [] : [{ line, name }];
  });
}
