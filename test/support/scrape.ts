import type { Gateway } from './gateway.ts';

type Labels = Readonly<Record<string, string>>;

/** What `/metrics` said at one moment. */
export interface Scrape {
  readonly text: string;
  /** Every metric that is declared, and its type. */
  readonly types: ReadonlyMap<string, string>;
  /** The sum of all samples of this name that have these labels; 0 where there is none. */
  sum(name: string, labels?: Labels): number;
  /** Each value of a label, in no order. */
  values(name: string, label: string): readonly string[];
}

interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** Reads `/metrics` as Prometheus does. */
export async function scrape(gateway: Pick<Gateway, 'fetch'>): Promise<Scrape> {
  const answer = await gateway.fetch('/metrics');
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`/metrics answered ${answer.status}: ${text}`);
  return readScrape(text);
}

/** Scrapes again and again, until it shows what it is about to show. */
export async function scrapeUntil(
  gateway: Pick<Gateway, 'fetch'>,
  shows: (scraped: Scrape) => boolean,
): Promise<Scrape> {
  for (;;) {
    const scraped = await scrape(gateway);
    if (shows(scraped)) return scraped;
  }
}

/** How much more the second scrape counts than the first. */
export function since(before: Scrape, after: Scrape): Scrape['sum'] {
  return (name, labels) => after.sum(name, labels) - before.sum(name, labels);
}

/** Reads a text in Prometheus' format 0.0.4. Throws when a line breaks its rules, or a sample is there twice. */
export function readScrape(text: string): Scrape {
  const types = new Map<string, string>();
  const samples = new Map<string, Sample>();
  for (const line of text.split('\n').filter(Boolean)) {
    const [, declared, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (declared !== undefined && type !== undefined) types.set(declared, type);
    else if (!/^# HELP \S+ \S/.test(line)) keep(readSample(line));
  }
  function keep(sample: Sample): void {
    const family = types.has(sample.name)
      ? sample.name
      : sample.name.replace(/_(?:bucket|sum|count)$/, '');
    const key = JSON.stringify([sample.name, Object.entries(sample.labels).toSorted()]);
    if (!types.has(family) || samples.has(key))
      throw new Error(`a sample without its type, or twice: ${key}`);
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
  const isWhole = pairs.map(([key, text]) => `${key}="${text}"`).join(',') === labels;
  if (name === '' || !isWhole || (value !== 'Nan' && !Number.isFinite(Number(value))))
    throw new Error(`not a sample: ${line}`);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}

function isWithin(wanted: Labels, labels: Labels): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}
