import { endpoint, parameterProblems } from '../../api/rest/endpoint.ts';
import { readRequest } from '../../api/rest/key-naming.ts';
import { queryParameter } from '../../api/rest/parameters.ts';
import * as shape from '../../api/rest/shape.ts';
import { withParam, invalidParameter } from '../../domain/problems.ts';
import { fieldFacts } from '../../execution/field-facts.ts';
import { builder, connectionOf } from '../../schema/builder.ts';
import { maxAgeFrom, nextCursor } from '../../server/messages/deprecations.ts';
import { pageSizeOf, type QueryParameters } from '../../server/messages/parameters.ts';
import { disposableMailPageSizes, encodeCursor, pageRequestOf } from '../pages.ts';
import type { SiteFieldBuilder, SiteFieldRef, Feature } from '../site-field.ts';
import { choiceParameter, limitParameter } from '../site-parameters.ts';
import { sitesOf, typeNamed } from '../site-result.ts';
import { pageOfDisposableMail } from './disposable-mail.ts';

interface DomainList {
  readonly nodes: readonly string[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly totalCount: number;
  readonly updatedAt: string | null;
  readonly source: string;
  readonly status: string;
}

/** As in the public API, whose clients skip as many domains as a page has by default. */
const defaultLimit = 1000;
const limit = limitParameter(
  'mail_limit',
  { ...disposableMailPageSizes, default: defaultLimit },
  'domains',
);
const format = choiceParameter(
  'format',
  'String',
  ['json', 'txt'],
  '`txt` returns one domain per line.',
);
const cursorParameter = queryParameter(
  'cursor',
  { type: 'string', minLength: 1 },
  'The `next_cursor` of an earlier response with the same parameters.',
);

const bodyType = shape.objectType<DomainList & { readonly limit: unknown }>('DisposableMailBody', {
  domains: shape.texts('Domains in alphabetical order.', 'nodes'),
  total: shape.count('Number of domains on the list.', 'totalCount'),
  limit: shape.count('The limit that was applied.', 'limit'),
  next_cursor: shape.textOrNull(
    'The `cursor` of the next page; null on the last one.',
    ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
  ),
  metadata: shape.object({
    last_updated: [
      { type: 'string', format: 'date-time', description: 'When the list was changed.' },
      ({ updatedAt }) => updatedAt ?? undefined,
      'optional',
    ],
    total_domains: shape.count('Number of domains on the list.', 'totalCount'),
    sources: shape.texts('The names of the list.', ({ source }) => [source]),
    refresh_status: [
      shape.text('`static_fallback`: a list of the gateway. Absent for one of the operator.'),
      ({ status }) => (status === 'file' ? undefined : status),
      'optional',
    ],
  }),
});

/** `GET /v1/email/blacklist`: a page of the list of disposable mail domains, as JSON or text. */
const emailBlacklist = endpoint('GET /v1/email/blacklist', {
  tag: 'Sites',
  summary: 'List disposable mail domains',
  description:
    'Returns a page of a list of domains that offer disposable mailboxes, in alphabetical order; with `format=txt`, one domain per line. The `Link` header leads to the next page (`rel="next"`). It is not a blocklist of spam. Free.',
  example: 'limit=10',
  success: 'A page of the list.',
  parameters: { ...limit.description, cursor: cursorParameter, ...format.description },
  aliases: { offset: nextCursor },
  problems: parameterProblems,
  operation: `query DisposableMail($first: Int, $after: String) {
  list: disposableMailDomains(first: $first, after: $after) {
    nodes
    pageInfo { hasNextPage endCursor }
    totalCount
    updatedAt
    source
    status
  }
}`,
  schema: bodyType.print,
  alternatives: { 'text/plain': shape.text('One domain per line.') },
  parse(http) {
    const { first, after, chosen, hasSnakeCaseKeys } = readRequest(http, (parameters) => ({
      first: () => limit.read(parameters),
      after: () => readCursor(parameters),
      chosen: () => format.read(parameters),
      aliases: () => maxAgeFrom(undefined, http.usedAliases),
    }));
    return {
      names: { namesParam: 'cursor', paramNames: { first: 'limit', after: 'cursor' } },
      variables: { first, after },
      hasSnakeCaseKeys,
      render(data) {
        const page = (data as { list: DomainList }).list;
        const link = nextLink(page, { first, chosen, query: http.query });

        // Requests with a deprecated alias have the link of deprecations and no other.
        if (link !== undefined) http.responseHeaders['link'] ??= link;
        return {
          text: chosen === 'txt' ? page.nodes.map((domain) => `${domain}\n`).join('') : undefined,
          body: bodyType.render({ ...page, limit: first }),
        };
      },
    };
  },
});

/** Returns the `Link` to the next page (RFC 8288); undefined on the last one. */
function nextLink(
  { pageInfo }: DomainList,
  { first, chosen, query }: { first: unknown; chosen: string; query: URLSearchParams },
): string | undefined {
  if (!pageInfo.hasNextPage) return undefined;

  const next = new URLSearchParams({ cursor: pageInfo.endCursor ?? '' });
  // Parameters without an effect may exceed what clients accept in headers.
  const sent = { limit: String(first), format: chosen, naming: query.get('naming')?.trim() };

  for (const [name, value] of Object.entries(sent))
    if (query.has(name) && value !== undefined) next.set(name, value);
  return `<?${next}>; rel="next"`;
}

/** Reads `cursor`, or else its deprecated alias `offset`. */
function readCursor({ single }: QueryParameters): string | undefined {
  const cursor = single('cursor');
  if (cursor !== undefined) {
    // Only the deprecated `offset` is a number.
    withParam('cursor', () => pageOfDisposableMail([], { limit: 1, cursor: cursor.trim() }));
    return cursor;
  }

  const offset = single('offset')?.trim().toLowerCase();
  if (offset === undefined || ['false', 'no', 'off'].includes(offset)) return undefined;
  if (/^\d{1,9}$/.test(offset)) return offset;

  throw invalidParameter('offset', 'offset must be a whole number of at least 0.');
}

builder.queryField('disposableMailDomains', (t) =>
  t.field({
    type: typeNamed('DisposableMailDomainConnection'),
    nullable: true,
    extensions: fieldFacts({
      freeList: { defaultRows: disposableMailPageSizes.default, fieldsPerRow: 1 },
    }),
    args: {
      first: t.arg.int({
        description: `Number of domains, from 1 to ${disposableMailPageSizes.max}. The default is ${disposableMailPageSizes.default}.`,
      }),
      after: t.arg.string(),
    },
    resolve: (_root, { first, after }, context) => {
      const { domains, updatedAt, source, status } = sitesOf(context).disposableMail;
      const size = pageSizeOf(first, disposableMailPageSizes, 'first');
      const page = pageOfDisposableMail(domains, pageRequestOf(size, after));
      const pages = { hasNextPage: page.nextCursor !== null, hasPreviousPage: false };
      const others = { totalCount: domains.length, updatedAt, source, status };
      return Object.assign(connectionOf(page.items, encodeCursor, pages), others);
    },
  }),
);

/** The feature `disposableMail`: whether a name is on the list of disposable mail domains. */
export const disposableMail = {
  field: (t: SiteFieldBuilder): SiteFieldRef =>
    t.field({
      type: typeNamed('DisposableMail'),
      nullable: true,
      resolve: ({ domain, refusal }, _args, context) =>
        refusal ? null : sitesOf(context).disposableMail.find(domain),
    }),
  endpoints: [emailBlacklist],
} satisfies Feature;
