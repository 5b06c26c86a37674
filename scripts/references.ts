// Prints the references in `docs/reference/` that are derived from tables in the code: `npm run schema`.
import { writeFile } from 'node:fs/promises';
import { format } from 'prettier';
import packageJson from '../package.json' with { type: 'json' };
import { prices, priceTexts } from '../src/execution/charging/prices.ts';
import { ConfigError, readConfig, variableNames } from '../src/config.ts';
import { problems, type ProblemCode } from '../src/domain/problems.ts';
import {
  aliasesDeprecatedSince,
  aliasesWorkUntil,
  deprecationHeaders,
  type Alias,
} from '../src/server/messages/deprecations.ts';
import { errorCodeOf, errorTypeOf, errorTypes } from '../src/server/messages/problem-response.ts';
import { aliases, endpoints } from '../src/app/endpoints.ts';
import { openapiDocument } from '../src/app/openapi.ts';
import {
  metricDescriptions,
  metricsTable,
  type MetricName,
  type MetricRow,
} from '../src/metrics/table.ts';
import { siteLookups } from '../src/sites/features.ts';
import { receiptPrice } from '../src/receipts/receipts.ts';
import { creditsPerMonth } from '../src/watches/watch-rows.ts';
import { referenceMarkdown } from './reference-markdown.ts';

/** The references, by their names in `docs/reference/`. */
const references: Readonly<Record<string, () => string>> = {
  errors: errorsReference,
  metrics: metricsReference,
  prices: pricesReference,
  reference: () => referenceMarkdown(openapiDocument()),
  settings: settingsReference,
  versioning: versioningReference,
};

/** Returns all references as formatted Markdown, by their names in `docs/reference/`. */
export async function printedReferences(): Promise<ReadonlyMap<string, string>> {
  const printed = Object.entries(references).map(
    async ([name, print]): Promise<[string, string]> => [
      name,
      await format(print(), { ...packageJson.prettier, parser: 'markdown' }),
    ],
  );
  return new Map(await Promise.all(printed));
}

function errorsReference(): string {
  const rows = Object.entries(errorTypes).map(([type, meaning]) => [`\`${type}\``, meaning]);
  return `# Errors

This page lists all problem codes of the REST and GraphQL APIs, with their meaning and how to fix each.

REST errors are problem documents ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)): programs read \`code\`, people read \`detail\`, and \`type\` links to the explanation on this page. In GraphQL, the code is in \`errors[].extensions.code\` and the link in \`errors[].extensions.type\`. If \`retryable\` is true, the same request may succeed later. New codes may be added at any time.

A failed lookup is not an error of the whole call: its code is the \`reason\` of the row ([Why is my name UNKNOWN?](../verdicts.md#why-is-my-name-unknown)). Only \`/v1/rdap\`, which looks up a single name, returns it as an error.

The media type is \`application/problem+json\`, or \`application/json\` if \`Accept\` names it and neither \`application/problem+json\` nor a wildcard. Requests that could not be parsed and requests rejected under overload always get \`application/problem+json\`.

For client libraries of the [public \`/v1\` API](versioning.md#the-public-v1-api), each problem also has \`message\` (the same text as \`detail\`) and \`error\` with \`code\`, \`type\`, \`message\`, \`status\`, \`retryable\`, \`request_id\`, \`docs_url\` (the same URL as the problem’s \`type\`) and, if known, \`retry_after\`. Its \`code\` has the spelling of these libraries, and its \`type\` selects their error class.

${table(['error.type', 'Meaning'], rows)}

${(Object.keys(problems) as ProblemCode[]).map(explanation).join('\n\n')}
`;
}

function explanation(code: ProblemCode): string {
  const { status, title, retryable, resolution } = problems[code];
  return `## \`${code}\`

**${title}.** HTTP ${status}. ${retryable ? 'Retryable' : 'Not retryable'}.

${resolution}

In \`error\`: \`${errorCodeOf(code)}\`, \`${errorTypeOf(code)}\`.`;
}

function metricsReference(): string {
  const all = Object.entries(metricsTable) as readonly (readonly [MetricName, MetricRow])[];
  const sections = Array.from(
    Map.groupBy(all, ([name]) => metricDescriptions[name].section),
    ([section, rows]) =>
      `## ${section}\n\n${table(['Metric', 'Type and labels', 'Meaning'], rows.map(metricRow))}`,
  );

  return `# Metrics

This page lists the Prometheus metrics of the gateway, with their labels and meaning.

\`/metrics\` serves them in Prometheus text format, with the \`process_\` and \`nodejs_\` metrics of Node.js. Each process has its own. No label contains a domain name, a key, an account or a client address. See [Monitoring](../operations.md#monitoring) for access, alerts and the dashboard.

${sections.join('\n\n')}
`;
}

function metricRow([name, { type, labels }]: readonly [MetricName, MetricRow]): string[] {
  const by = labels.length > 0 ? ` by ${labels.map((label) => `\`${label}\``).join(', ')}` : '';
  return [`\`${name}\``, `${type}${by}`, metricDescriptions[name].meaning];
}

function pricesReference(): string {
  const free = endpoints.filter(({ operation }) => operation === undefined);
  const [record, single] = [prices.record(1), prices.single(1)];
  const rows = [
    [
      'One label under several TLDs: `/v1/status` with `name`, `domains(name, tlds)`, `availability(name, tlds)`',
      priceTexts.search,
    ],
    [
      'Full names: bulk, `/v1/status` with `domain`, `domains(domains)`, `availability(domains)`, `nodes`, `_entities`',
      `${priceTexts.list}: ${prices.list(10)} for 10, ${prices.list(1000)} for 1,000`,
    ],
    ['A single name: `domain`, `node`', `${single}`],
    [
      'A record, instead of the above: `/v1/rdap`, lookups at `/rdap`; `registration`, `rdap`, `abuseContacts`, `timeline`, `registrarRdap` or `registrarProblem` selected; the ID of a record',
      `${record} per name; ${single} for a name with a verdict but no record (\`no_rdap\`)`,
    ],
    [
      'An [object](../objects.md#prices-and-limits): `ip`, `autnum`, `entity`, `nameserver`, `/v1/rdap` with these types; `network`, `object` or `entity` selected below a record, an address or an object',
      `${prices.object(1)} per object that was answered, whether it was found or not`,
    ],
    [
      '`.test`, sandbox objects, INVALID and UNSUPPORTED_TLD names, problems, introspection, `account`, `tlds`, IDs of TLDs, a 304 to a listed `ETag` for which no registry was queried',
      '0',
    ],
    [free.map(({ path }) => `\`${path}\``).join(', '), '0'],
    [
      'A [receipt](../receipts.md#create-a-receipt): `createReceipt`, `POST /v1/receipts`',
      `${receiptPrice}, or 0 without a verdict`,
    ],
    [
      'A [watched name](../watches.md#prices): `watch`, `PUT` and `POST /v1/watches`',
      `${creditsPerMonth} per name and calendar month`,
    ],
  ];
  const sites = siteLookups.map(({ name, price }) => [`\`${name}\``, `${price}`]);

  return `# Prices

A key has a number of credits per calendar month (UTC), and each request has a price in credits.

The price is reserved before the request runs. If too few credits are left, the response is 402 [\`insufficient_credits\`](errors.md#insufficient_credits) and nothing is looked up. Names without a verdict are refunded: the charge is the same formula over the names that got one. Cached answers cost the same as new ones. Callers without a key are not metered.

${table(['Request', 'Credits'], rows)}

Each name is charged once per operation, at the highest applicable price, and each object once. The number of [objects](../objects.md#prices-and-limits) depends on the answers, so their price is reserved while the operation runs: if too few credits are left, only these objects have the problem \`insufficient_credits\`. If you close a stream early, you pay for the rows delivered and the lookups already sent. The same applies if a GraphQL error ends an operation before all its names are answered: lookups that are still queued are dropped and refunded. An invalid argument of a site field, such as a negative \`maxAge\`, rejects the operation before anything is looked up, at no charge.

The headers \`X-Credits-Requested\`, \`-Charged\`, \`-Refunded\` and \`-Remaining\` report the cost of a request; GraphQL responses also have it in \`extensions.cost\`. The query \`{ account { creditsRemaining resetsAt } }\` returns the balance.

## Site lookups

${table(['Field', 'Credits'], sites)}

[Site lookups](../site-lookups.md) lists the REST path of each field, and says which lookups are not charged.

## Prices in the schema

[schema.graphql](../../schema/schema.graphql) and the schema for [routers](federation.md) have the prices as \`@cost(weight:)\`, in credits, and \`@listSize\`, in the form of [Apollo's specification](https://specs.apollo.dev/cost/v0.1), which Apollo's router and Hive Gateway (\`demandControl\`) read. They are estimates before an operation runs:

- The weight of a list is that of an item. Lists of names count as 50, at the price of single names. A search of 50 TLDs costs ${prices.search(50)}, and is estimated at ${prices.single(50)}.
- A record weighs ${prices.record(1) - prices.single(1)}, what it costs in addition to the name. A name that is selected twice is charged once, and estimated twice.
- Types weigh 0, so that all that counts is credits.

The exact price is in [\`extensions.explain\`](../graphql-guide.md#what-an-operation-costs).
`;
}

function settingsReference(): string {
  const rows = variableNames()
    .toSorted()
    .map((name) => [`\`${name}\``, defaultOf(name), acceptedValues(name)]);
  return `# Settings

This page lists all environment variables in alphabetical order, with their defaults and the values that the gateway accepts.

[Configuration](../configuration.md) describes what each does. An empty value counts as unset. With a value that is not accepted, the gateway does not start: it prints one line that names the variable, and exits with code 2.

${table(['Variable', 'Default', 'Accepted values'], rows)}
`;
}

type Settings = Readonly<Record<string, unknown>>;

/** Returns the default as it is written in the environment. */
function defaultOf(name: string): string {
  const defaults: Settings = readConfig({});
  const value = defaults[name];
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  if (typeof value !== 'boolean')
    return `\`${Array.isArray(value) ? value.join(' ') : String(value)}\``;

  const words = ['on', 'off', 'true', 'false'].filter((word) => {
    const set: Settings = variableAccepts(name, word) ? readConfig({ [name]: word }) : {};
    return set[name] === value;
  });

  return `\`${words.join(' ')}\``;
}

function variableAccepts(name: string, text: string): boolean {
  return acceptedValues(name).split(/[ ,]+/).includes(text);
}

/** Returns what the message about an invalid value states. */
function acceptedValues(name: string): string {
  try {
    readConfig({ [name]: 'invalid\u0000' });
    return 'a text';
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [, accepted = ''] = /^\w+ must be (.*), got "/s.exec(error.message) ?? [];
    return accepted.replace(/https:\S+\{domain\}/, '`$&`');
  }
}

function versioningReference(): string {
  const headers = Object.entries(deprecationHeaders('http://127.0.0.1:4000/docs')).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `# Versioning

This page states the compatibility policy of the API, and lists the deprecated names that still work.

The API version is part of the path: \`/v1\`. Within a version, breaking changes are announced 12 months ahead. During these months the old form works, its responses carry the headers below, and the [changelog](../../CHANGELOG.md) lists the change.

New endpoints, optional parameters, fields, values, headers and problem codes may be added at any time. Clients must ignore what they do not recognize.

## The public \`/v1\` API

The REST API has the paths, parameters, fields and values of an API that is offered publicly as \`/v1\`, so that client libraries written for it work with a gateway. The contract is in this repository: [REST API](../rest-api.md) describes it, the [REST reference](reference.md) and [openapi.json](../../schema/openapi.json) list every endpoint, and the tests in \`test/api/rest/\` check it. Where this documentation says "the public \`/v1\` API", it means this contract.

For these libraries, problems have additional members ([Errors](errors.md)), and the names below still work.

## Deprecated aliases

These aliases are older names in the public \`/v1\` API. They have been deprecated since ${dayOf(aliasesDeprecatedSince)} and work until at least ${dayOf(aliasesWorkUntil)}. An alias has the same effect as its replacement. Every response to a request with an alias, errors included, carries these headers:

\`\`\`text
${headers.join('\n')}
\`\`\`

The values \`false\`, \`0\`, \`no\` and \`off\` turn an alias off; any other value turns it on. In a body, \`null\` counts as absent. \`max_age\` takes precedence over an alias, and an alias for \`max_age=0\` takes precedence over \`prefer_cache\`.

${table(['Alias', 'Where', 'Replacement'], aliases.map(aliasRow))}
`;
}

function aliasRow({ method, path, name, location, values, replacement }: Alias): string[] {
  const where = location === 'body' ? ', in options and at top level' : '';
  return [
    `\`${name}\`${values ? ' with a numeric value' : ''}`,
    `\`${method} ${path}\`${where}`,
    `\`${replacement}\``,
  ];
}

/** Returns a date such as `2026-01-31`, in UTC. */
function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map(tableRow).join('\n');
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
}

if (import.meta.main) {
  for (const [name, text] of await printedReferences())
    await writeFile(new URL(`../docs/reference/${name}.md`, import.meta.url), text);
}
