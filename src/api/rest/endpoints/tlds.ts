import { provesAvailable, type CoveredTld } from '../../../domain/catalogue.ts';
import { isHealthy, isMeasured } from '../../../domain/host-status.ts';
import { toUnicodeName } from '../../../domain/names/domain-name.ts';
import { scriptsOf } from '../../../domain/names/letters.ts';
import { policyDetail } from '../../../domain/policy.ts';
import { invalidParameter } from '../../../domain/problems.ts';
import { tldCsv } from '../../../shared/csv.ts';
import { endpoint, parameterProblems } from '../endpoint.ts';
import { readRequest } from '../key-naming.ts';
import { parametersNamed } from '../parameters.ts';
import { schemaRef } from '../shape.ts';

const defaultTldLimit = 100;
/**
 * Exceeds the number of TLDs. A larger `limit` is reduced to it, so that clients may send any
 * number for "all".
 */
const maxTldLimit = 10_000;

export const freeOfCharge =
  'This call costs no credits, so clients can use it to check a key: 200 if the key is valid, 401 if it is not.';

/** Returns a TLD as `/v1/tlds` lists it. */
function tldBody(tld: CoveredTld) {
  const { label, type, registryHost, sources, policy, publishes } = tld;
  const { registrations, shares } = publishes.observed();
  const launch = tld.launch();

  return {
    tld: label,
    type,
    rdap: registryHost !== null,
    registry_host: registryHost,
    sources: sources.map(({ kind, ...source }) => ({ source: kind, endpoint: source.endpoint })),
    proves_available: provesAvailable(tld),
    policy: policy.kind.toLowerCase(),
    policy_detail: policyDetail(label, policy),
    policy_date: policy.date ?? null,
    scripts: scriptsOf(policy.letters),
    launch: launch && {
      phase: launch.phase.toLowerCase(),
      opens_at: launch.opensAt,
      source: launch.source,
    },
    publishes: {
      ...publishes.documented,
      ...(registrations > 0 && { observed: { registrations, ...shares } }),
    },
  };
}

/** Returns TLDs as CSV, with the health of their RDAP servers; empty if it is not known. */
export function healthCsv(tlds: readonly CoveredTld[]): string {
  const rows = tlds.map((tld) => {
    const status = tld.health();
    return {
      ...tldBody(tld),
      unicode: toUnicodeName(tld.label),
      healthy: isMeasured(status) ? isHealthy(status) : null,
      p50_ms: status?.p50Ms ? Math.round(status.p50Ms) : null,
      error_rate: status?.errorRate ?? null,
    };
  });
  return tldCsv(rows);
}

/** `GET /v1/tlds`: the TLDs that can be looked up, with their sources. */
export const tlds = endpoint('GET /v1/tlds', {
  tag: 'TLDs',
  summary: 'List supported TLDs',
  description: `Returns the TLDs whose names can be looked up, in alphabetical order, with their sources, without \`.test\` and without longer suffixes such as \`co.uk\`. ${freeOfCharge}`,
  example: 'limit=2',
  success: 'The first `limit` TLDs, and the number of all supported TLDs.',
  parameters: parametersNamed('limit'),
  problems: parameterProblems,
  schema: () => schemaRef('TldList'),
  parse(http) {
    const { limit, hasSnakeCaseKeys } = readRequest(http, ({ whole }) => ({
      limit: () => limitOf(whole('limit')),
    }));
    return {
      variables: {},
      hasSnakeCaseKeys,
      render: (_data, _durationMs, catalogue) => {
        const covered = catalogue.covered();
        const shown = covered.slice(0, limit).map(tldBody);

        return { body: { tlds: shown, total: covered.length, limit } };
      },
    };
  },
});

function limitOf(sent = defaultTldLimit): number {
  if (sent >= 1) return Math.min(sent, maxTldLimit);
  throw invalidParameter('limit', 'limit must be a whole number of at least 1.');
}
