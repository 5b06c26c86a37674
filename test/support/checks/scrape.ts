import type { Gateway } from '../gateways/gateway.ts';

type Labels = Readonly<Record<string, string>>;

/** The metrics of one scrape. */
export interface Scrape {
  readonly text: string;
  /** Declared metrics with their types. */
  readonly types: ReadonlyMap<string, string>;
  /** Returns the sum of all samples with this name and these labels; 0 if there is none. */
  sum(name: string, labels?: Labels): number;
  /** Returns the distinct values of a label, in any order. */
  values(name: string, label: string): readonly string[];
}

interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** Scrapes `/metrics` like Prometheus. */
export async function scrape(gateway: Pick<Gateway, 'fetch'>): Promise<Scrape> {
  const answer = await gateway.fetch('/metrics');
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`/metrics answered ${answer.status}: ${text}`);
  return readScrape(text);
}

/** Scrapes repeatedly until a condition holds. */
export async function scrapeUntil(
  gateway: Pick<Gateway, 'fetch'>,
  condition: (scraped: Scrape) => boolean,
): Promise<Scrape> {
  for (;;) {
    const scraped = await scrape(gateway);
    if (condition(scraped)) return scraped;
  }
}

/** Returns a function for the difference between two scrapes. */
export function since(before: Scrape, after: Scrape): Scrape['sum'] {
  return (name, labels) => after.sum(name, labels) - before.sum(name, labels);
}

/** Parses the Prometheus text format 0.0.4. Throws if a line is invalid or a sample is repeated. */
export function readScrape(text: string): Scrape {
  const types = new Map<string, string>();
  const samples = new Map<string, Sample>();
  for (const line of text.split('\n').filter(Boolean)) {
    const [, declared, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (declared !== undefined && type !== undefined) types.set(declared, type);
    else if (!/^# HELP \S+ \S/.test(line)) addSample(readSample(line));
  }
  function addSample(sample: Sample): void {
    const family = types.has(sample.name)
      ? sample.name
      : sample.name.replace(/_(?:bucket|sum|count)$/, '');
    const key = JSON.stringify([sample.name, Object.entries(sample.labels).toSorted()]);
    if (!types.has(family) || samples.has(key))
      throw new Error(`A sample has no type, or is repeated: ${key}`);
    samples.set(key, sample);
  }
  const matching = (name: string, labels: Labels) =>
    Array.from(samples.values()).filter(
      (sample) => sample.name === name && isWithin(labels, sample.labels),
    );
  return {
    text,
    types,
    sum: (name, labels = {}) => matching(name, labels).reduce((sum, { value }) => sum + value, 0),
    values: (name, label) => [
      ...new Set(matching(name, {}).map(({ labels }) => labels[label] ?? '')),
    ],
  };
}

function readSample(line: string): Sample {
  const [, name = '', labels = '', value = ''] =
    /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  const pairs = Array.from(
    labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"(?:,|$)/g),
    ([, key = '', text = '']) => [key, text] as const,
  );
  const isComplete = pairs.map(([key, text]) => `${key}="${text}"`).join(',') === labels;
  if (name === '' || !isComplete || (value !== 'Nan' && !Number.isFinite(Number(value))))
    throw new Error(`Invalid sample: ${line}`);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}

function isWithin(requested: Labels, labels: Labels): boolean {
  return Object.entries(requested).every(([name, value]) => labels[name] === value);
}
