import { Problem } from '../../domain/problems.ts';
import { pageOfDisposableMail } from '../../sites/mail/disposable-mail-pages.ts';
import { disposableMailPageSizes, pageRequestOf } from '../../sites/page-request.ts';
import { collectProblems } from '../messages/collect-problems.ts';
import { readParameter, readParameters, type QueryParameters } from '../messages/parameters.ts';
import { maxAgeFrom } from '../messages/deprecations.ts';
import { requestsSnakeCase } from './key-naming.ts';
import type { ParsedRestRequest, RestRoute } from './rest-route.ts';
import { disposableMailOperation } from './site-operations.ts';
import { readChoice, readLimit } from './site-parameters.ts';

interface DomainList {
  readonly nodes: readonly string[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly totalCount: number;
  readonly updatedAt: string | null;
  readonly source: string;
  readonly status: string;
}

/** `GET /v1/email/blacklist`: a page of the list of disposable mail domains, as JSON or text. */
export const disposableMailRoute: RestRoute = {
  path: '/v1/email/blacklist',
  method: 'GET',
  operation: disposableMailOperation,
  responseMode: 'buffered',
  parse({ query, usedAliases, request }) {
    const parameters = readParameters(query);
    const { limit, after, format, hasSnakeCaseKeys } = collectProblems({
      limit: () => readLimit(parameters, disposableMailPageSizes),
      after: () => readCursor(parameters),
      format: () => readChoice(parameters, 'format', ['json', 'txt']),
      aliases: () => maxAgeFrom(undefined, usedAliases),
      hasSnakeCaseKeys: () => requestsSnakeCase(query, request.headers),
    });
    return {
      namesParam: 'cursor',
      paramNames: { first: 'limit', after: 'cursor' },
      variables: { first: limit, after, maxAge: undefined },
      hasSnakeCaseKeys,
      body: createBody(limit, format === 'txt'),
    };
  },
};

/** Reads `cursor`, or else its deprecated alias `offset`. */
function readCursor({ single }: QueryParameters): string | undefined {
  const cursor = single('cursor');
  if (cursor !== undefined) {
    readParameter('cursor', () => pageOfDisposableMail([], pageRequestOf(1, cursor)));
    return cursor;
  }
  const offset = single('offset')?.trim().toLowerCase();
  if (offset === undefined || ['false', 'no', 'off'].includes(offset)) return undefined;
  if (/^\d{1,9}$/.test(offset)) return offset;
  throw new Problem('invalid_parameter', 'offset must be a whole number of at least 0.', {
    param: 'offset',
  });
}

function createBody(limit: number, isText: boolean): ParsedRestRequest['body'] {
  return (data) => {
    const { nodes, pageInfo, totalCount, updatedAt, source, status } = (
      data as { list: DomainList }
    ).list;
    const metadata = {
      last_updated: updatedAt,
      total_domains: totalCount,
      sources: [source],
      refresh_status: status,
    };
    return {
      text: isText ? nodes.map((domain) => `${domain}\n`).join('') : undefined,
      body: {
        domains: nodes,
        total: totalCount,
        limit,
        next_cursor: pageInfo.hasNextPage ? pageInfo.endCursor : null,
        metadata,
      },
    };
  };
}
