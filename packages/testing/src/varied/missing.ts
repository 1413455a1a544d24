import { pick } from "./edit.ts";
import type { Varied, Vary } from "./varied.ts";

/** Dumps that nobody took. */
const without =
  (isLeft: (name: string, given: Varied) => boolean): Vary =>
  (given) => {
    for (const path of Object.keys(given.files))
      if (path.startsWith(`${given.folder}/`) && isLeft(path.slice(given.folder.length + 1), given))
        delete given.files[path];
  };

export const MISSING: Readonly<Record<string, Vary>> = {
  "no-objects": ({ files }) => void delete files["objects.yaml"],
  "no-pods": ({ files }) => {
    if (files["objects.yaml"] !== undefined)
      files["objects.yaml"] = files["objects.yaml"].replace(/^- apiVersion: v1\n {2}kind: Pod\n(?: {2}.*\n)*/gm, "");
  },
  "no-slices": ({ files }) => {
    if (files["objects.yaml"] !== undefined)
      files["objects.yaml"] = files["objects.yaml"].replace(/^- apiVersion: discovery.*\n(?: {2}.*\n)*/gm, "");
  },
  "rules-alone": without((name) => !/tables-save/.test(name)),
  "rules-and-routes": without((name) => !/tables-save|ip-addr|route|rule/.test(name)),
  "one-file-less": without(
    (name, { at, files, folder }) =>
      name ===
      pick(
        Object.keys(files).filter((p) => p.startsWith(`${folder}/`)),
        at,
      ).slice(folder.length + 1),
  ),
  "no-node": without(() => true),
  "rules-cut": ({ files, folder, at }) => {
    const path = `${folder}/iptables-save.txt`;
    if (files[path] !== undefined)
      files[path] = files[path].slice(0, Math.floor((files[path].length * (1 + (at % 8))) / 9));
  },
};
