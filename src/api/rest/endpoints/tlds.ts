import {
  isHealthy,
  isMeasured,
  provesAvailable,
  type CoveredTld,
  type ObservedFields,
  type Publishes,
} from '../../../domain/catalogue.ts';
import { toUnicodeName } from '../../../domain/domain-name.ts';
import { policyDetail } from '../../../domain/policy.ts';
import { byField } from '../../../domain/registration.ts';
import { invalidParameter } from '../../../domain/problems.ts';
import type { SourceInfo } from '../../../domain/source.ts';
import { tldCsv, type TldRow } from '../../../shared/csv.ts';
import { endpoint, parameterProblems } from '../endpoint.ts';
import { readRequest } from '../key-naming.ts';
import { parametersNamed } from '../parameters.ts';
import { sourceDescriptions } from '../rows.ts';
import * as shape from '../shape.ts';
import type { Member } from '../shape.ts';

const defaultTldLimit = 100;
/**
 * Exceeds the number of TLDs. A larger `limit` is reduced to it, so that clients may send any
 * number for "all".
 */
const maxTldLimit = 10_000;

export const freeOfCharge =
  'This call costs no credits, so clients can use it to check a key: 200 if the key is valid, 401 if it is not.';

const sourceType = shape.objectType<SourceInfo>(
  'TldSource',
  {
    source: [shape.openEnum(sourceDescriptions, 'The kind of source.'), ({ kind }) => kind],
    endpoint: shape.textOrNull(
      'URL of the server; null for the DNS, whose servers depend on the zone.',
      (source) => source.endpoint,
    ),
  },
  'A source in which the names of a TLD are looked up.',
);

const publishesType = shape.objectType<Publishes>(
  'TldPublishes',
  {
    ...byField<Member<Publishes>>((field) => [
      shape.orNull(shape.flag(`Whether it publishes the fact \`${field}\`.`)),
      ({ documented }) => documented[field],
    ]),
    observed: [
      (source) => observedType.print(source),
      ({ observed }) => {
        const read = observed();
        return read.registrations > 0 ? observedType.render(read) : undefined;
      },
      'optional',
    ],
  },
  'Which facts of registrations the registry publishes through the source that this gateway uses, as documented. Null means that nothing is known, or that the gateway does not read it because it may be a person.',
);

const observedType = shape.objectType<ObservedFields>(
  'ObservedFields',
  {
    registrations: shape.count('How many it has read.', ({ registrations }) => registrations),
    ...byField<Member<ObservedFields>>((field) => [
      {
        type: 'number',
        minimum: 0,
        maximum: 1,
        description: `The share of them that states the fact \`${field}\`.`,
      },
      ({ shares }) => shares[field],
    ]),
  },
  'The registrations of the TLD that this gateway process has read in the last 30 days, without those from its cache. Absent without any.',
);

const tldType = shape.objectType<CoveredTld>('CoveredTld', {
  tld: shape.text('The TLD as an A-label, such as `com` or `xn--p1ai`.', ({ label }) => label),
  type: [
    shape.openEnum(
      {
        gtld: 'Any TLD that is not a country code.',
        cctld: 'The code of a country or territory, in any script.',
      },
      'The kind of TLD.',
    ),
    ({ type }) => type,
  ],
  rdap: shape.flag(
    'Whether RDAP is one of the sources, so that registered names have a record.',
    ({ registryHost }) => registryHost !== null,
  ),
  registry_host: shape.textOrNull(
    'Host of the RDAP server; null without one.',
    ({ registryHost }) => registryHost,
  ),
  sources: shape.listOf(
    'The sources of its names, in order of preference.',
    sourceType,
    ({ sources }) => sources,
  ),
  proves_available: shape.flag(
    'Whether one of the sources can prove that a name is available. Otherwise, names under the TLD are never `available: true`.',
    provesAvailable,
  ),
  policy: [
    shape.openEnum(
      {
        open: 'Anybody may register names.',
        restricted: 'Whoever meets the requirements in `policy_detail` may register names.',
        brand: 'Only a brand registers names; unregistered ones are `reserved`.',
        closed: 'Nobody registers names directly under the TLD; they are `reserved`.',
        unknown: 'No fact is documented.',
      },
      'Who may register names.',
    ),
    ({ policy }) => policy.kind.toLowerCase(),
  ],
  policy_detail: shape.textOrNull(
    'What the policy requires, or why there are no registrations.',
    ({ label, policy }) => policyDetail(label, policy),
  ),
  publishes: [
    (source) => publishesType.print(source),
    ({ publishes }) => publishesType.render(publishes),
  ],
});

/** Returns TLDs as CSV, with the health of their RDAP servers; empty if it is not known. */
export function healthCsv(tlds: readonly CoveredTld[]): string {
  const rows = tlds.map((tld) => {
    const status = tld.health();
    return {
      ...(tldType.render(tld) as unknown as TldRow),
      unicode: toUnicodeName(tld.label),
      healthy: isMeasured(status) ? isHealthy(status) : null,
      p50_ms: status?.p50Ms ? Math.round(status.p50Ms) : null,
      error_rate: status?.errorRate ?? null,
    };
  });
  return tldCsv(rows);
}

interface Tlds {
  readonly tlds: readonly CoveredTld[];
  readonly limit: number;
}

const bodyType = shape.objectType<Tlds>('TldList', {
  tlds: shape.listOf('The first `limit` TLDs, in alphabetical order.', tldType, (data) =>
    data.tlds.slice(0, data.limit),
  ),
  total: shape.count('Number of supported TLDs.', ({ tlds }) => tlds.length),
  limit: [
    { type: 'integer', minimum: 1, description: 'The limit that was applied.' },
    ({ limit }) => limit,
  ],
});

/** `GET /v1/tlds`: the TLDs that can be looked up, with their sources. */
export const tlds = endpoint('GET /v1/tlds', {
  tag: 'TLDs',
  summary: 'List supported TLDs',
  description: `Returns the TLDs whose names can be looked up, in alphabetical order, with their sources, without \`.test\` and without longer suffixes such as \`co.uk\`. ${freeOfCharge}`,
  example: 'limit=2',
  success: 'The first `limit` TLDs, and the number of all supported TLDs.',
  parameters: parametersNamed('limit'),
  problems: parameterProblems,
  body: bodyType.print,
  parse(http) {
    const { limit, hasSnakeCaseKeys } = readRequest(http, ({ single }) => ({
      limit: () => readLimit(single('limit')),
    }));
    return {
      variables: {},
      hasSnakeCaseKeys,
      body: (_data, _durationMs, catalogue) => ({
        body: bodyType.render({ tlds: catalogue.covered(), limit }),
      }),
    };
  },
});

function readLimit(text: string | undefined): number {
  if (text === undefined) return defaultTldLimit;
  const limit = /^\s*\d+\s*$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw invalidParameter('limit', 'limit must be a whole number of at least 1.');
  return Math.min(limit, maxTldLimit);
}
