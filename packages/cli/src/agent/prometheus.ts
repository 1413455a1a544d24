/** One family of numbers, as Prometheus' text form has it. */
export interface Metric {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly samples: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

const escaped = (value: string): string => value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");

const sample = (name: string, labels: Readonly<Record<string, string>>, value: number): string => {
  const shown = Object.entries(labels).map(([label, of]) => `${label}="${escaped(of)}"`);
  return `${name}${shown.length === 0 ? "" : `{${shown.join(",")}}`} ${value}`;
};

/** A family without a sample is left out. */
export const metricsText = (metrics: readonly Metric[]): string =>
  metrics
    .filter((m) => m.samples.length > 0)
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(([labels, value]) => sample(name, labels, value)),
    ])
    .map((line) => `${line}\n`)
    .join("");
