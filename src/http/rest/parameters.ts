import type { JsonObject } from '../../domain/registration.ts';
import { confirmNames } from '../../domain/source.ts';
import { maxBudgetMs } from '../messages/parameters.ts';
import type { JsonSchema, Properties } from './shape.ts';

// How OpenAPI describes parameters. Keys are their names in `components.parameters`. The REST
// reference fills in those with an example, so only those that are valid together have one.

/** Describes a query parameter. */
export function queryParameter(name: string, schema: JsonSchema, description: string): JsonObject {
  return { name, in: 'query', description, schema };
}

/** Describes a header. */
export function headerParameter(
  name: string,
  description: string,
  schema: JsonSchema = {},
): JsonObject {
  return { name, in: 'header', description, schema: { type: 'string', ...schema } };
}

/** Describes a list as comma-separated; repeated parameters are accepted, too. */
export function listParameter(name: string, description: string, example?: string[]): JsonObject {
  const schema = {
    type: 'array',
    minItems: 1,
    items: { type: 'string' },
    ...(example && { examples: [example] }),
  };
  return { ...queryParameter(name, schema, description), style: 'form', explode: false };
}

export const maxAgeDescription =
  'Maximum age of a cached answer, in seconds: `0` always queries the registry, `2592000` prefers the cache. A cached `available` answer is never ' +
  'older than an hour. By default, answers stay fresh for 5 minutes (available, in redemption or pending deletion), an hour (reserved, or within ' +
  'a week of expiry) or a day (all others). Also by default, if the registry fails, a cached answer up to 7 days old is returned, marked `stale`, ' +
  'for a name that was registered and not pending deletion.';

export const budgetDescription =
  `Time limit of the lookups in milliseconds, from 0 to ${maxBudgetMs}. Rows without an answer by then have \`status: pending\` and ` +
  '`available: null`; their lookups continue and are charged, so that a repeated call soon returns them. Set it below the timeout of your client, ' +
  'such as 8000 for a timeout of 10 s. By default, the response waits for every row.';

export const confirmDescription =
  'Which verdicts the registry must confirm. `all`, the default: each name is looked up at its registry, and the DNS is only used to check `available`, or if ' +
  'the registry fails. `available`: a fast search, in which a name that its parent zone delegates is `registered` with `source: dns`, without a ' +
  'request to the registry, even if the registry would report `redemption` or `pending_delete`; all other names are looked up.';

export const maxAgeParameter = queryParameter(
  'max_age',
  { type: 'integer', minimum: 0, examples: [3600] },
  maxAgeDescription,
);

export const confirmParameter = queryParameter(
  'confirm',
  { type: 'string', enum: confirmNames, default: 'all' },
  confirmDescription,
);

export const budgetParameter = queryParameter(
  'budget_ms',
  { type: 'integer', minimum: 0, maximum: maxBudgetMs, examples: [8000] },
  budgetDescription,
);

export const namingParameters: Properties = {
  naming: queryParameter(
    'naming',
    { type: 'string', enum: ['snake'] },
    'Converts every key of the response to snake_case, at any depth and including the registry’s own object and problems (`secureDNS` becomes `secure_dns`). Values are not changed.',
  ),
  'Service-Naming': headerParameter(
    'Service-Naming',
    'The same as the parameter `naming`, which takes precedence. The value is case-insensitive.',
    { enum: ['snake'] },
  ),
};

export const ifNoneMatchParameter: Properties = {
  'If-None-Match': headerParameter(
    'If-None-Match',
    'An `ETag` from an earlier response to the same account: if nothing has changed, the response is 304 without a body.',
  ),
};
