import * as v from 'valibot';
import { isAddressRange } from './domain/names/ip-address.ts';
import { logLevels } from './log.ts';
import { reasonOf } from './shared/reason-of.ts';

/** The settings of the operator, read at startup. */
export type Config = Readonly<v.InferOutput<typeof variables>>;

type Variables = v.InferInput<typeof variables>;

/** The variables as a program may write them: also as numbers and lists. */
export type ConfigInput = {
  readonly [Name in keyof Variables]?:
    | Variables[Name]
    | (Config[Name] extends number ? number : never)
    | (Config[Name] extends readonly string[] ? readonly string[] : never);
};

/**
 * An invalid variable, which ends the process with the exit code. The message is one line that names
 * it and states the accepted values.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function variableNames(): readonly string[] {
  return Object.keys(variables.entries);
}

/**
 * Adds the variables of the file `.env` in the working directory, if there is one, to the
 * environment of the process, which takes precedence. Throws `ConfigError`.
 */
export function loadEnvFile(): void {
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new ConfigError(`.env must be a readable file. It cannot be read: ${reasonOf(error)}`);
  }
}

/** Reads the environment. An empty value counts as unset. Throws `ConfigError`. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const values = Object.fromEntries(
    variableNames().map((name) => [name, environment[name]?.trim() || undefined]),
  );
  const { success, output, issues } = v.safeParse(variables, values);
  if (success) return Object.freeze(output);

  const [{ path, message }] = issues;
  const name = String(path?.[0].key);
  throw new ConfigError(
    `${name} must be ${message}, got ${JSON.stringify(redactPassword(name, values[name] ?? ''))}.`,
  );
}

/**
 * Removes passwords, because the message is logged. A `STORE_URL` is removed except for its scheme:
 * an invalid one may contain the password anywhere.
 */
function redactPassword(name: string, text: string): string {
  if (name === 'STORE_URL') return text.replace(/^(["']?[\w+.-]+:)?.*$/s, '$1…');
  return text.replace(/^(\W*[\w+.-]+:\/\/)?.*@/s, '$1***@');
}

const integer = (min: number, max: number) => {
  const message = `an integer from ${min} to ${max}`;
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,15}$/, message),
    v.transform(Number),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
};

const url = (protocols: readonly string[], accepted: string) =>
  v.pipe(
    v.string(),
    v.check((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), accepted),
  );

const flag = (values: Readonly<Record<string, boolean>>) => {
  const message = `one of ${Object.keys(values).join(', ')}`;
  return v.pipe(
    v.string(),
    v.check((text) => Object.hasOwn(values, text.toLowerCase()), message),
    v.transform((text) => values[text.toLowerCase()] === true),
  );
};

const list = v.pipe(
  v.string(),
  v.transform((text) => text.split(/[\s,]+/).filter(Boolean)),
);

const addresses = v.pipe(
  list,
  v.check(
    (ranges) => ranges.every(isAddressRange),
    'a list of addresses or networks such as 10.0.0.0/8',
  ),
);

const dayMs = 24 * 60 * 60 * 1000;
const httpUrl = () => {
  const accepted = 'an http: or https: URL without a user name, query or fragment';
  return v.pipe(
    url(['http:', 'https:'], accepted),
    v.check((text) => !/[?#]|^[^/]*\/\/[^/]*@/.test(text), accepted),
    v.transform((text) => new URL(text).href.replace(/\/+$/, '')),
  );
};

const off = v.pipe(
  v.string(),
  v.regex(/^off$/i),
  v.transform(() => undefined),
);
const searchUrl = v.union(
  [off, httpUrl()],
  'off, or an http: or https: URL without a user name, query or fragment',
);

const storeUrl = v.pipe(
  v.string(),
  v.check(
    (text) => /^(?:memory:|sqlite:.+)$/.test(text) || isPostgresUrl(text),
    'sqlite:PATH, memory: or postgres://USER:PASSWORD@HOST:PORT/DATABASE',
  ),
  // `sqlite://./gateway.db` is a mistake: it would name a file in the root directory.
  v.check(
    (text) => !/^sqlite:\/\/(?!\/)/.test(text),
    'sqlite:PATH without a host, such as sqlite:./data/gateway.db or sqlite:///var/lib/gateway.db',
  ),
);

const rate = v.pipe(
  v.string(),
  v.regex(/^\d{1,6}(?:\.\d{1,6})?$/, 'a number of requests per second, or 0 for no limit'),
  v.transform(Number),
);

const share = v.pipe(
  v.string(),
  v.regex(/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/, 'a share from 0 to 1, such as 0.01'),
  v.transform(Number),
);

const registerUrl = v.pipe(
  v.string(),
  v.check((text) => {
    const link = URL.parse(text.replaceAll('{domain}', 'example.com'));
    return text.includes('{domain}') && link?.protocol === 'https:';
  }, 'an https: URL that contains {domain}, such as https://registrar.example/?domain={domain}'),
);

const origins = v.pipe(
  list,
  v.check(
    (given) => given.every((origin) => origin === '*' || isOrigin(origin)),
    'a list of origins such as https://app.example, or *',
  ),
);

const acceptedLimits = '{"share":0.25,"perHour":{"rdap.example":100}} with a share of at most 0.25';
const positive = v.pipe(
  v.number(acceptedLimits),
  v.finite(acceptedLimits),
  v.gtValue(0, acceptedLimits),
);
const watchLimits = v.pipe(
  v.string(),
  v.parseJson(undefined, acceptedLimits),
  v.strictObject(
    {
      share: v.optional(v.pipe(positive, v.maxValue(0.25, acceptedLimits)), 0.25),
      perHour: v.optional(v.record(v.pipe(v.string(), v.toLowerCase()), positive, acceptedLimits)),
    },
    acceptedLimits,
  ),
);

const webhookTargets = v.pipe(
  list,
  v.check(
    (targets) => targets.every((target) => target === 'localhost' || isAddressRange(target)),
    'a list of addresses or networks such as 10.0.0.0/8, or localhost',
  ),
);

const directHosts = v.pipe(
  list,
  v.transform((names) => names.map((name) => name.toLowerCase().replace(/^\./, ''))),
);

const acceptedProxy = 'an http: URL of a proxy, such as http://user:password@proxy.example:3128';
const proxyUrl = v.pipe(
  url(['http:'], acceptedProxy),
  v.transform((text) => new URL(text)),
  v.check(({ pathname, search, hash }) => pathname + search + hash === '/', acceptedProxy),
  v.check(({ username, password }) => isPercentEncoded(username + password), acceptedProxy),
);

// Defaults are written as in the environment.
const variables = v.object({
  HOST: v.optional(v.string(), '127.0.0.1'),
  PORT: v.optional(integer(0, 65_535), '4000'),
  BASE_URL: v.optional(httpUrl()),
  DOCS_URL: v.optional(httpUrl()),
  REGISTER_URL: v.optional(registerUrl),
  OFFERS_FILE: v.optional(v.string()),
  EXPIRY_FILE: v.optional(v.string()),
  STORE_URL: v.optional(storeUrl, 'sqlite:./data/gateway.db'),
  RDAP_BOOTSTRAP_URL: v.optional(
    url(['https:', 'http:', 'file:'], 'an https:, http: or file: URL'),
    'https://data.iana.org/rdap/dns.json',
  ),
  RDAP_OVERRIDES: v.optional(v.string()),
  RDAP_LIMITS: v.optional(v.string()),
  SOURCES_FILE: v.optional(v.string()),
  SETS_FILE: v.optional(v.string()),
  DNS_FIRST: v.optional(flag({ on: true, off: false }), 'on'),
  WHOIS: v.optional(flag({ on: true, off: false }), 'on'),
  OUTBOUND_PROXY: v.optional(proxyUrl),
  OUTBOUND_DIRECT: v.optional(directHosts, ''),
  RDAP_ALLOW_PRIVATE: v.optional(flag({ true: true, false: false }), 'false'),
  RDAP_RELAY: v.optional(v.picklist(['relay', 'redirect'], 'relay or redirect'), 'relay'),
  RDAP_TIMEOUT_MS: v.optional(integer(1, dayMs), '5000'),
  QUEUE_TIMEOUT_MS: v.optional(integer(0, dayMs), '5000'),
  RDAP_CONCURRENCY: v.optional(integer(1, 10_000), '8'),
  RDAP_RATE: v.optional(rate, '10'),
  CLUSTER_SIZE: v.optional(integer(1, 1024), '1'),
  MAX_LOOKUPS: v.optional(integer(1, 100_000), '500'),
  MAX_TLDS: v.optional(integer(1, 10_000), '50'),
  CHANGE_DAYS: v.optional(integer(1, 3650), '90'),
  RECEIPT_DAYS: v.optional(integer(1, 3650), '30'),
  ACCURACY_SAMPLE: v.optional(share, '0'),
  WATCH_LIMITS: v.optional(watchLimits),
  WEBHOOK_ALLOW: v.optional(webhookTargets, ''),
  RECORD_DAYS: v.optional(integer(0, 30), '30'),
  MCP_OAUTH_ISSUER: v.optional(httpUrl()),
  AUTH: v.optional(v.picklist(['auto', 'required', 'open'], 'one of auto, required, open'), 'auto'),
  TRUSTED_PROXIES: v.optional(addresses, ''),
  FREE_CREDITS: v.optional(integer(0, 1_000_000_000_000), '10000'),
  RATE_LIMIT: v.optional(integer(0, 1_000_000), '600'),
  CORS_ORIGINS: v.optional(origins, '*'),
  METRICS_ALLOW: v.optional(addresses, '127.0.0.0/8 ::1'),
  INTROSPECTION: v.optional(flag({ on: true, off: false }), 'on'),
  GRAPHIQL: v.optional(flag({ on: true, off: false }), 'on'),
  OPERATOR_PAGE: v.optional(flag({ on: true, off: false }), 'off'),
  SANDBOX: v.optional(flag({ on: true, off: false }), 'on'),
  SITE_LOOKUPS: v.optional(flag({ on: true, off: false }), 'on'),
  CT_SEARCH_URL: v.optional(searchUrl, 'https://crt.sh'),
  DISPOSABLE_MAIL_FILE: v.optional(v.string()),
  LOG_FORMAT: v.optional(v.picklist(['json', 'pretty'], 'json or pretty')),
  LOG_LEVEL: v.optional(v.picklist(logLevels, `one of ${logLevels.join(', ')}`), 'info'),
});

function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\/./.test(text) && URL.canParse(text);
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}
