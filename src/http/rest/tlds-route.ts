import { provesAvailable, type CoveredTld } from '../../domain/catalogue.ts';
import { Problem } from '../../domain/problems.ts';
import type { CatalogueRoute } from './catalogue-handler.ts';
import { requestsSnakeCase } from './key-naming.ts';
import { readParameters } from '../messages/parameters.ts';
import { collectProblems } from '../messages/collect-problems.ts';

export const defaultTldLimit = 100;
/**
 * Exceeds the number of TLDs. A larger `limit` is reduced to it, so that clients may send any
 * number for "all".
 */
export const maxTldLimit = 10_000;

/** `GET /v1/tlds`: the TLDs that can be looked up, with their sources. */
export const tldsRoute: CatalogueRoute = {
  path: '/v1/tlds',
  parse({ query, request }) {
    const { limit } = collectProblems({
      limit: () => readLimit(readParameters(query).single('limit')),
      hasSnakeCaseKeys: () => requestsSnakeCase(query, request.headers),
    });
    return (catalogue) => {
      const tlds = catalogue.covered();
      return { tlds: tlds.slice(0, limit).map(tldBody), total: tlds.length, limit };
    };
  },
};

function tldBody(tld: CoveredTld): object {
  const { label, type, registryHost, sources } = tld;
  return {
    tld: label,
    type,
    rdap: registryHost !== null,
    registry_host: registryHost,
    sources: sources.map(({ kind, endpoint }) => ({ source: kind, endpoint })),
    proves_available: provesAvailable(tld),
  };
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return defaultTldLimit;
  const limit = /^\s*\d+\s*$/.test(text) ? Number(text) : 0;
  if (limit < 1)
    throw new Problem('invalid_parameter', 'limit must be a whole number of at least 1.', {
      param: 'limit',
    });
  return Math.min(limit, maxTldLimit);
}
