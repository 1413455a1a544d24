/** YAML as kubectl prints it: block style, keys as given, lists level with their key, texts quoted where they must be. */
export function toYaml(value: unknown): string {
  return `${block(value, 0)}\n`;
}

const isMapping = (v: unknown): v is Readonly<Record<string, unknown>> =>
  typeof v === "object" && v !== null && !Array.isArray(v);
const isEmpty = (v: unknown): boolean =>
  Array.isArray(v) ? v.length === 0 : isMapping(v) ? Object.keys(v).length === 0 : true;

function scalar(v: unknown): string {
  if (isMapping(v)) return "{}";
  if (Array.isArray(v)) return "[]";
  if (typeof v !== "string") return String(v);
  return /^[A-Za-z][\w ./-]*$/.test(v) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(v) ? v : JSON.stringify(v);
}

function block(v: unknown, indent: number): string {
  const pad = " ".repeat(indent);
  if (Array.isArray(v) && v.length > 0)
    return v.map((item) => `${pad}- ${block(item, indent + 2).slice(indent + 2)}`).join("\n");
  if (isMapping(v) && !isEmpty(v)) {
    return Object.entries(v)
      .map(([key, item]) => {
        if ((isMapping(item) || Array.isArray(item)) && !isEmpty(item))
          return `${pad}${key}:\n${block(item, Array.isArray(item) ? indent : indent + 2)}`;
        return `${pad}${key}: ${scalar(item)}`;
      })
      .join("\n");
  }
  return `${pad}${scalar(v)}`;
}
