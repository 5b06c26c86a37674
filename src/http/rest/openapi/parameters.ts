import { objectTypes } from '../../../domain/object-ref.ts';
import type { JsonObject } from '../../../domain/registration.ts';
import { confirmNames } from '../../../domain/source.ts';
import {
  certificatePageSizes,
  disposableMailPageSizes,
  subdomainPageSizes,
  type PageSizes,
} from '../../../sites/page-request.ts';
import { tlsProfiles } from '../../../sites/tls/tls-scan.ts';
import { maxBudgetMs } from '../../messages/parameters.ts';
import { defaultTldLimit, maxTldLimit } from '../tlds-route.ts';

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
const limitParameter = (sizes: PageSizes, what: string) =>
  queryParameter(
    'limit',
    { type: 'integer', minimum: 1, maximum: sizes.max, default: sizes.default },
    `Maximum number of ${what} to return.`,
  );
const stringArray = { type: 'array', minItems: 1, items: { type: 'string' } };
/** Describes lists as comma-separated; repeated parameters are accepted, too. */
const commaSeparated = { style: 'form', explode: false };

export const maxAgeParameterDescription =
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

/**
 * The parameters of the operations, by name (`components.parameters`). The REST reference fills in
 * those with an example, so only those that are valid together have one.
 */
export const parameters = {
  name: queryParameter(
    'name',
    { type: 'string', minLength: 1, examples: ['taken'] },
    'One label, such as `example` or `bücher`. Requires `tlds`.',
  ),
  tlds: {
    ...queryParameter(
      'tlds',
      { ...stringArray, examples: [['test', 'co.uk']] },
      'TLDs or longer suffixes, or sets such as `@popular`, comma-separated or repeated. Leading dots, spaces and upper case are accepted.',
    ),
    ...commaSeparated,
  },
  domains: {
    ...queryParameter(
      'domain',
      stringArray,
      'Full domain names, comma-separated or repeated, instead of `name` and `tlds`.',
    ),
    ...commaSeparated,
  },
  domain: queryParameter(
    'domain',
    { type: 'string', minLength: 1, examples: ['taken.test'] },
    'One full domain name. U-labels and any letter case are accepted. Required unless `query` is given.',
  ),
  query: queryParameter(
    'query',
    { type: 'string', minLength: 1 },
    'Instead of `domain`: a full domain name, an IP address or a network in CIDR notation, an autonomous system number such as `AS64496`, the handle of an entity, or the host name of a nameserver.',
  ),
  type: queryParameter(
    'type',
    { type: 'string', enum: ['domain', ...objectTypes] },
    'The type of `query`. By default, it is detected: an address or a network is an `ip`, a number with or without `AS` an `autnum`, a text with a hyphen but no dot an `entity`, and the rest a `domain`. A nameserver requires `nameserver`.',
  ),
  tld: queryParameter(
    'tld',
    { type: 'string', minLength: 1 },
    'The TLD whose registry assigned the handle of an entity. Required unless the handle ends with the tag of its registry (RFC 8521).',
  ),
  budget_ms: queryParameter(
    'budget_ms',
    { type: 'integer', minimum: 0, maximum: maxBudgetMs, examples: [8000] },
    budgetDescription,
  ),
  max_age: queryParameter(
    'max_age',
    { type: 'integer', minimum: 0, examples: [3600] },
    maxAgeParameterDescription,
  ),
  confirm: queryParameter(
    'confirm',
    { type: 'string', enum: confirmNames, default: 'all' },
    confirmDescription,
  ),
  limit: queryParameter(
    'limit',
    { type: 'integer', minimum: 1, default: defaultTldLimit },
    `Maximum number of TLDs to return. Values above ${maxTldLimit} count as ${maxTldLimit}, which is more than the number of TLDs.`,
  ),
  site_domain: queryParameter(
    'domain',
    { type: 'string', minLength: 1, examples: ['taken.test'] },
    'A host name, such as `example.com` or `www.example.com`. Where `url` is accepted too, exactly one of the two is required.',
  ),
  url: queryParameter(
    'url',
    { type: 'string', minLength: 1 },
    'An `http:` or `https:` URL of a host name, without port, user name and password.',
  ),
  site_max_age: queryParameter(
    'max_age',
    { type: 'integer', minimum: 0 },
    'Maximum age of a cached result, in seconds; `0` reads the site again. By default, results stay fresh for a day.',
  ),
  profile: queryParameter(
    'profile',
    { type: 'string', enum: tlsProfiles, default: 'standard' },
    '`full` also tests categories of ciphers.',
  ),
  include_subdomains: queryParameter(
    'include_subdomains',
    { type: 'boolean', default: true },
    'Also certificates that are only for names under the name.',
  ),
  include_expired: queryParameter(
    'include_expired',
    { type: 'boolean', default: false },
    'Also certificates whose validity has ended.',
  ),
  include_wildcards: queryParameter(
    'include_wildcards',
    { type: 'boolean', default: false },
    'Also names such as `*.example.com`.',
  ),
  certificate_limit: limitParameter(certificatePageSizes, 'certificates'),
  subdomain_limit: limitParameter(subdomainPageSizes, 'names'),
  mail_limit: limitParameter(disposableMailPageSizes, 'domains'),
  cursor: queryParameter(
    'cursor',
    { type: 'string', minLength: 1 },
    'The `next_cursor` of an earlier response with the same parameters.',
  ),
  format: queryParameter(
    'format',
    { type: 'string', enum: ['json', 'txt'], default: 'json' },
    '`txt` returns one domain per line.',
  ),
  naming: queryParameter(
    'naming',
    { type: 'string', enum: ['snake'] },
    'Converts every key of the response to snake_case, at any depth and including the registry’s own object and problems (`secureDNS` becomes `secure_dns`). Values are not changed.',
  ),
  'Service-Naming': headerParameter(
    'Service-Naming',
    { type: 'string', enum: ['snake'] },
    'The same as the parameter `naming`, which takes precedence. The value is case-insensitive.',
  ),
  'If-None-Match': headerParameter(
    'If-None-Match',
    { type: 'string' },
    'An `ETag` from an earlier response to the same account: if nothing has changed, the response is 304 without a body.',
  ),
  'Idempotency-Key': headerParameter(
    'Idempotency-Key',
    { type: 'string' },
    'Identifies this call. A repeated call with the same key and body within 24 hours returns the answers cached since the first call, regardless of `max_age`, at no charge. Names that are not cached, and unregistered names after an hour, are queried again and charged like a call for only these names. `budget_ms` is not compared, so a repeated call may use a different value. A repeated call waits for an earlier call that is still in progress. A call with a different body is rejected (409). A rejected call does not consume its key.',
  ),
} as const satisfies Record<string, JsonObject>;

export type ParameterName = keyof typeof parameters;

/** Returns references to parameters, for an operation. */
export function parameterRefs(names: readonly ParameterName[]): readonly JsonObject[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}
