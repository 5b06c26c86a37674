import type { JsonObject } from '../../src/domain/registration.ts';
import { maxBudgetMs } from '../../src/http/request/parameters.ts';
import { defaultTldLimit, maxTldLimit } from '../../src/http/rest/tlds-route.ts';

const queryParameter = (name: string, schema: JsonObject, description: string) => ({
  name,
  in: 'query',
  description,
  schema,
});
const headerParameter = (name: string, schema: JsonObject, description: string) => ({
  name,
  in: 'header',
  description,
  schema,
});
const stringArray = { type: 'array', minItems: 1, items: { type: 'string' } };
/** Comma-separated; repeated ones are taken too. */
const commaSeparated = { style: 'form', explode: false };

export const maxAgeDescription =
  'The oldest stored answer that will do, in seconds: `0` asks the registry, `2592000` prefers what is stored. A stored "free" is never given when ' +
  'it is older than an hour. Without it, answers are fresh for 5 minutes (free, or on their way out), an hour (reserved, or within a week of ' +
  'expiry) or a day, and when the registry fails, a registered name, unless it was pending delete, from up to 7 days ago, marked `stale`.';

export const budgetDescription =
  `How many milliseconds the lookups may take, from 0 to ${maxBudgetMs}. Rows that are not known by then have \`status: pending\` and ` +
  '`available: null`; their lookups continue and are charged, so that a repeat soon returns them. Choose less than the time limit of your client: ' +
  '8000 for one that gives up after 10 s. Without it, the response is sent when every row is known.';

/** What the operations take, by name: what stands under `components.parameters`. */
export const parameters = {
  name: queryParameter(
    'name',
    { type: 'string', minLength: 1, examples: ['taken'] },
    'One label, such as `example` or `bücher`. Goes with `tlds`.',
  ),
  tlds: {
    ...queryParameter(
      'tlds',
      { ...stringArray, examples: [['test', 'co.uk']] },
      'TLDs or longer suffixes, or sets such as `@popular`, separated by commas or repeated. A leading dot, spaces and upper case are forgiven.',
    ),
    ...commaSeparated,
  },
  domains: {
    ...queryParameter(
      'domain',
      { ...stringArray, examples: [['taken.test', 'free.test']] },
      'Whole names, separated by commas or repeated, in place of `name` and `tlds`.',
    ),
    ...commaSeparated,
  },
  domain: queryParameter(
    'domain',
    { type: 'string', minLength: 1, examples: ['taken.test'] },
    'One whole name. U-labels and any case will do. Required, unless `query` is given.',
  ),
  query: queryParameter(
    'query',
    { type: 'string', minLength: 1, examples: ['taken.test'] },
    'The same as `domain`, in its place.',
  ),
  type: queryParameter(
    'type',
    { type: 'string', enum: ['domain'] },
    'What `query` is. Only domain names can be looked up.',
  ),
  budget_ms: queryParameter(
    'budget_ms',
    { type: 'integer', minimum: 0, maximum: maxBudgetMs, examples: [8000] },
    budgetDescription,
  ),
  max_age: queryParameter(
    'max_age',
    { type: 'integer', minimum: 0, examples: [3600] },
    maxAgeDescription,
  ),
  limit: queryParameter(
    'limit',
    { type: 'integer', minimum: 1, default: defaultTldLimit },
    `How many TLDs to return. A number above ${maxTldLimit}, which is more than there are, means ${maxTldLimit}.`,
  ),
  naming: queryParameter(
    'naming',
    { type: 'string', enum: ['snake'] },
    'Makes every key of the answer snake_case at any depth, the registry’s own object and problems included (`secureDNS` becomes `secure_dns`). Values stay as they are.',
  ),
  'Service-Naming': headerParameter(
    'Service-Naming',
    { type: 'string', enum: ['snake'] },
    'The same as `naming`, which wins. Upper and lower case are the same.',
  ),
  'If-None-Match': headerParameter(
    'If-None-Match',
    { type: 'string', examples: ['W/"p3Zq0yqkQb0"'] },
    'An `ETag` of before, sent to the same account: the answer is 304, without a body, while nothing has changed.',
  ),
  'Idempotency-Key': headerParameter(
    'Idempotency-Key',
    { type: 'string', examples: ['6f1c2a9e-4b1d-4a44-8f0a-2f9a6e3d5c10'] },
    'Identifies this call. A repeat with the same key and body within 24 hours returns the answers stored since the first call, whatever `max_age` says, at no charge. Names that are not stored, and unregistered names after an hour, are queried again and charged as a call for these names alone. `budget_ms` is not compared: a repeat may have another one. A repeat waits for an earlier call that is in progress. With another body it is a conflict (409). A rejected call does not use its key.',
  ),
} as const satisfies Record<string, JsonObject>;

export type ParameterName = keyof typeof parameters;

/** Some of them, as an operation lists them. */
export function parameterRefs(names: readonly ParameterName[]): readonly JsonObject[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}
