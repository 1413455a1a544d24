import type { Dialect } from "../dialect.ts";
import { claimIpamd, readIpamd } from "./ipamd.ts";

/** What a cloud's own agents say of a node. */
export const dialects: readonly Dialect[] = [
  {
    id: "aws-ipamd",
    title: "ipamd of the AWS VPC plugin",
    printedBy: (w) => w.some((word) => /:61679\/v1\/(?:enis|pods)$|\/ipam\.json$/.test(word)),
    claim: claimIpamd,
    read: (source) => readIpamd(source),
  },
];
