import type { CommentMatch } from "../../../model/index.ts";
import { given, matchExtension, option } from "../rule/extension.ts";
import { single } from "../values/index.ts";

/** XT_MAX_COMMENT_LEN is 256 with the closing zero. */
const comment255 = single("a text of at most 255 letters", (word) => (word.length < 256 ? word : undefined));

export const comment = matchExtension<{ text: string }, CommentMatch>({
  name: "comment",
  fields: { text: option("--comment", comment255, { required: true, quoting: "needed" }) },
  make: ({ text }) => ({ kind: "comment", text: text!.value }),
  show: (match) => ({ text: given(match.text) }),
});
