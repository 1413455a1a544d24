import { type JsonObject, type JsonValue, readJson } from "../../iproute2/json.ts";
import { lineNumber, type Source } from "../../source.ts";
import { elementText, expressionText, isObject, listOf, notKnown, quoted, text } from "./expression-text.ts";
import { limit, quota, statementText, synproxy } from "./statement-text.ts";

/** A line of the text, and the object of the JSON it says. */
interface Line {
  readonly text: string;
  readonly of: JsonObject;
}

interface Block {
  readonly head: Line;
  readonly lines: Line[];
}

interface TableText {
  readonly head: Line;
  readonly own: Line[];
  readonly blocks: Map<string, Block>;
}

/** `nft -j list ruleset` as the text that nft prints without -j; its lines have the numbers of what they say. */
export function rulesetText(source: Source): { readonly source: Source; readonly cut: boolean } {
  const { objects, lineOf, error } = readJson(source);
  const tables = new Map<string, TableText>();
  for (const { nftables } of objects) {
    for (const item of listOf(nftables)) {
      const [[kind, object] = ["", null]] = isObject(item) ? Object.entries(item) : [];
      if (isObject(object)) add(tables, kind, object);
    }
  }
  const lines = [...tables.values()].flatMap((t) => [
    t.head,
    ...t.own,
    ...[...t.blocks.values()].flatMap((b) => [b.head, ...b.lines, { text: "\t}", of: b.head.of }]),
    { text: "}", of: t.head.of },
  ]);
  const numbers = lines.map((l) => lineNumber(source, lineOf(l.of)));
  return {
    source: { file: source.file, firstLine: 1, lines: lines.map((l) => l.text), numbers },
    cut: error !== undefined,
  };
}

const keyOf = (o: JsonObject, table: JsonValue | undefined): string => `${text(o.family)} ${text(table)}`;

function add(tables: Map<string, TableText>, kind: string, o: JsonObject): void {
  if (kind === "metainfo") return;
  if (kind === "table") {
    const own: Line[] = [];
    if (o.comment !== undefined) own.push({ text: `\tcomment ${quoted(text(o.comment))}`, of: o });
    if (o.flags !== undefined) own.push({ text: `\tflags ${listOf(o.flags).map(text).join(",")}`, of: o });
    tables.set(keyOf(o, o.name), { head: { text: `table ${keyOf(o, o.name)} {`, of: o }, own, blocks: new Map() });
    return;
  }
  const table = tables.get(keyOf(o, o.table));
  if (table === undefined) return;
  if (kind === "rule") {
    const comment = o.comment === undefined ? "" : ` comment ${quoted(text(o.comment))}`;
    const handle = typeof o.handle === "number" ? ` # handle ${o.handle}` : "";
    const said = listOf(o.expr).map(statementText).join(" ");
    table.blocks.get(`chain ${text(o.chain)}`)?.lines.push({ text: `\t\t${said}${comment}${handle}`, of: o });
    return;
  }
  const name = `${kind} ${text(o.name)}`;
  table.blocks.set(name, {
    head: { text: `\t${name} {`, of: o },
    lines: bodyOf(kind, o).map((line) => ({ text: `\t\t${line}`, of: o })),
  });
}

function bodyOf(kind: string, o: JsonObject): readonly string[] {
  switch (kind) {
    case "chain":
      return chainHead(o);
    case "set":
    case "map":
    case "meter":
      return setBody(o);
    case "flowtable":
      return [
        `hook ingress priority ${text(o.prio)}`,
        `devices = { ${listOf(o.dev)
          .map((d) => quoted(text(d)))
          .join(", ")} }`,
      ];
    case "counter":
      return [`packets ${text(o.packets)} bytes ${text(o.bytes)}`];
    case "quota":
      return [quota(o).replace(/^quota /, "")];
    case "limit":
      return [limit(o).replace(/^limit /, "")];
    case "synproxy":
      return [synproxy(o).replace(/^synproxy /, "")];
    default:
      return kind.startsWith("ct ")
        ? [
            Object.entries(o)
              .filter(([k]) => !COMMON.has(k))
              .map(([k, v]) => `${k} ${JSON.stringify(v)}`)
              .join(" ; "),
          ]
        : [notKnown(kind)];
  }
}

const COMMON: ReadonlySet<string> = new Set(["family", "table", "name", "handle"]);

function chainHead(o: JsonObject): readonly string[] {
  const comment = o.comment === undefined ? [] : [`comment ${quoted(text(o.comment))}`];
  if (o.hook === undefined) return comment;
  const devices = listOf(o.dev).map((d) => quoted(text(d)));
  const on =
    devices.length === 0 ? "" : devices.length === 1 ? ` device ${devices[0]}` : ` devices = { ${devices.join(", ")} }`;
  // nft before 1.0.7 does not say at which device: that it hangs somewhere is all there is to know.
  if (devices.length === 0 && (o.hook === "ingress" || o.hook === "egress"))
    return [...comment, `type ${text(o.type)} hook ;`];
  const policy = o.policy === undefined ? "" : ` policy ${text(o.policy)};`;
  return [...comment, `type ${text(o.type)} hook ${text(o.hook)}${on} priority ${text(o.prio)};${policy}`];
}

/** `"type": ["ipv4_addr", "inet_service"]`, or `{ "typeof": … }` with the selectors. */
function typeText(t: JsonValue | undefined): string {
  if (isObject(t) && t.typeof !== undefined) return expressionText(t.typeof);
  return listOf(t).map(text).join(" . ");
}

function setBody(o: JsonObject): readonly string[] {
  const word = isObject(o.type) || isObject(o.map) ? "typeof" : "type";
  const to = o.map === undefined ? "" : ` : ${typeText(o.map)}`;
  const lines = [`${word} ${typeText(o.type)}${to}`];
  if (o.comment !== undefined) lines.push(`comment ${quoted(text(o.comment))}`);
  if (o.size !== undefined) lines.push(`size ${text(o.size)}`);
  if (o.flags !== undefined) lines.push(`flags ${listOf(o.flags).map(text).join(",")}`);
  if (o.timeout !== undefined) lines.push(`timeout ${text(o.timeout)}s`);
  if (o["auto-merge"] === true) lines.push("auto-merge");
  if (o.stmt !== undefined) lines.push(listOf(o.stmt).map(statementText).join(" "));
  const devices = listOf(o.type).map((t) => t === "ifname" || t === "iface_index");
  const elements = listOf(o.elem);
  if (elements.length > 0) lines.push(`elements = { ${elements.map((e) => elementText(e, devices)).join(", ")} }`);
  return lines;
}
