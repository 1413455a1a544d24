/** What the client sees, in the asker's own word: `--sees`, or `question.sees` in case.yaml. */
export const SEES = ["works", "timeout", "refused", "unreachable", "reset", "stalled", "intermittent", "slow"] as const;

export type Sees = (typeof SEES)[number];

export const isSees = (word: string): word is Sees => (SEES as readonly string[]).includes(word);
