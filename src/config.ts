import { z } from 'zod';
import { isAddressRange } from './addresses.ts';
import { logLevels } from './log.ts';

/** Everything the operator may choose, read once. */
export type Config = Readonly<z.infer<typeof shape>>;

/** A variable that cannot be read: the message is one line that names it and says what it accepts. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads the environment; an empty value counts as none. Throws `ConfigError`. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.keys(variables.shape).map((name) => [name, environment[name]?.trim() || undefined]));
  const parsed = shape.safeParse(given);
  if (parsed.success) return Object.freeze(parsed.data);
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0]);
  throw new ConfigError(`${name} must be ${issue?.message}, got ${JSON.stringify(withoutPassword(name, given[name] ?? ''))}.`);
}

/** The message goes to a log. What is wrong with a `STORE_URL` may be that its password stands where none is looked for. */
function withoutPassword(name: string, text: string): string {
  if (name === 'STORE_URL') return text.replace(/^(["']?[\w+.-]+:)?.*$/s, '$1…');
  return text.replace(/^(\W*[\w+.-]+:\/*).*@/s, '$1***@');
}

const integer = (least: number, most: number) => {
  const message = `an integer from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .pipe(z.number().min(least, message).max(most, message));
};

const url = (protocols: readonly string[], accepted: string) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), accepted);

const flag = (words: Readonly<Record<string, boolean>>) => {
  const message = `one of ${Object.keys(words).join(', ')}`;
  return z
    .string()
    .refine((text) => Object.hasOwn(words, text.toLowerCase()), message)
    .transform((text) => words[text.toLowerCase()] === true);
};

const list = z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean));

const addresses = list.refine((ranges) => ranges.every(isAddressRange), 'a list of addresses or networks such as 10.0.0.0/8');

const longestDay = 24 * 60 * 60 * 1000;
const webAddress = () => {
  const accepted = 'an http: or https: URL without query and fragment';
  return url(['http:', 'https:'], accepted)
    .refine((text) => !/[?#]/.test(text), accepted)
    .transform((text) => new URL(text).href.replace(/\/+$/, ''));
};

const variables = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65_535).default(4000),
  BASE_URL: webAddress().optional(),
  DOCS_URL: webAddress().optional(),
  STORE_URL: z
    .string()
    .refine(
      (text) => /^(?:memory:|sqlite:.+)$/.test(text) || isPostgresUrl(text),
      'sqlite:PATH, memory: or postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    )
    .default('sqlite:./data/gateway.db'),
  RDAP_BOOTSTRAP_URL: url(['https:', 'http:', 'file:'], 'an https:, http: or file: URL').default('https://data.iana.org/rdap/dns.json'),
  RDAP_OVERRIDES: z.string().optional(),
  RDAP_LIMITS: z.string().optional(),
  RDAP_ALLOW_PRIVATE: flag({ true: true, false: false }).default(false),
  RDAP_TIMEOUT_MS: integer(1, longestDay).default(5000),
  QUEUE_TIMEOUT_MS: integer(0, longestDay).default(5000),
  RDAP_CONCURRENCY: integer(1, 10_000).default(8),
  RDAP_RATE: z
    .string()
    .regex(/^\d{1,6}(?:\.\d{1,6})?$/, 'a number of requests a second, 0 for no limit')
    .transform(Number)
    .default(10),
  MAX_LOOKUPS: integer(1, 100_000).default(500),
  MAX_TLDS: integer(1, 10_000).default(50),
  RECORD_DAYS: integer(0, 30).default(30),
  AUTH: z.enum(['auto', 'required', 'open'], 'one of auto, required, open').default('auto'),
  TRUSTED_PROXIES: addresses.default([]),
  FREE_CREDITS: integer(0, 1_000_000_000_000).default(10_000),
  RATE_LIMIT: integer(0, 1_000_000).default(600),
  CORS_ORIGINS: list
    .refine(
      (origins) => origins.every((origin) => origin === '*' || isOrigin(origin)),
      'a list of origins such as https://app.example, or *',
    )
    .default(['*']),
  METRICS_ALLOW: addresses.default(['127.0.0.0/8', '::1']),
  WORKERS: integer(1, 1024).default(1),
  SANDBOX: flag({ on: true, off: false }).default(true),
  LOG_LEVEL: z.enum(logLevels, `one of ${logLevels.join(', ')}`).default('info'),
});

// Several processes that count in files, or each for itself, would be several gateways.
const shape = variables.refine(({ WORKERS, STORE_URL }) => WORKERS === 1 || /^postgres(?:ql)?:/.test(STORE_URL), {
  path: ['WORKERS'],
  message: '1, unless STORE_URL is postgres:…',
});

function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\/./.test(text) && URL.canParse(text);
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}
