import { missingParameter } from '../../../domain/problems.ts';
import { parseDomainName } from '../../../domain/names/domain-name.ts';
import { endpoint, parameterProblems } from '../endpoint.ts';
import { readRequest } from '../key-naming.ts';
import { parametersNamed } from '../parameters.ts';

interface ProbedEntry {
  readonly event: string;
  readonly from: string | null;
  readonly certainty: string;
}

interface ProbedName {
  readonly available: boolean | null;
  readonly status: string;
  readonly checked_at: string | null;
  readonly registration: {
    readonly expires_at: string | null;
    readonly statuses: readonly string[];
  } | null;
  readonly timeline: readonly ProbedEntry[] | null;
}

/** `GET /probe`: the state of one name as metrics, in the pattern of Prometheus' blackbox exporter. */
export const probe = endpoint('GET /probe', {
  tag: 'Names',
  summary: 'Get the state of a name as Prometheus metrics',
  description:
    'Looks one name up with its registration, at the price of `/v1/rdap`, and returns metrics in the text format of Prometheus. Without a verdict, `probe_success` is 0 and the other facts are absent. Send a key in a header.',
  example: 'target=taken.test',
  success: 'The metrics.',
  mediaType: 'text/plain',
  parameters: parametersNamed('target', 'max_age'),
  problems: [...parameterProblems, 'invalid_name', 'invalid_max_age', 'insufficient_credits'],
  operation: `query Probe($domain: String!, $maxAge: Int) {
    domain(name: $domain, maxAge: $maxAge) {
      available status checked_at: checkedAt registration { expires_at: expiresAt statuses }
      timeline { event from certainty }
    }
  }`,
  schema: () => ({ type: 'string', description: 'Metrics in the text format of Prometheus.' }),
  parse(http) {
    const { domain, maxAge, hasSnakeCaseKeys } = readRequest(
      http,
      ({ single, maxAge: readMaxAge }) => ({
        domain: () => {
          const target = single('target');
          if (target === undefined) throw missingParameter('target');

          return parseDomainName(target, 'target');
        },
        maxAge: readMaxAge,
      }),
    );
    return {
      names: { namesParam: 'target', paramNames: { name: 'target' } },
      variables: { domain, maxAge },
      hasSnakeCaseKeys,
      render: (data, durationMs, _catalogue, now) => {
        const { domain: name } = data as { readonly domain: ProbedName };
        return { body: {}, text: metricsOf(name, durationMs, now).join('') };
      },
    };
  },
});

/** RESERVED names are not registered. */
const registeredStatuses = new Set(['REGISTERED', 'REDEMPTION', 'PENDING_DELETE']);

function metricsOf(
  { available, status, checked_at: checkedAt, registration, timeline }: ProbedName,
  durationMs: number,
  now: number,
): readonly string[] {
  const isKnown = available !== null;
  const { expires_at: expiresAt, statuses = [] } = registration ?? {};
  // The registry's own date is certain.
  const knownExpiry = timeline?.find(
    ({ event, certainty }) => event === 'EXPIRES' && certainty !== 'REGISTRY',
  )?.from;

  return [
    gauge('probe_success', 'Whether the name has a verdict.', [['', isKnown ? 1 : 0]]),
    gauge('probe_duration_seconds', 'How long the lookup took.', [['', durationMs / 1000]]),
    gauge('rdap_domain_verdict', 'The status of the name.', [
      [`{verdict="${status.toLowerCase()}"}`, 1],
    ]),
    gauge(
      'rdap_domain_registered',
      'Whether the name is registered.',
      isKnown ? [['', registeredStatuses.has(status) ? 1 : 0]] : [],
    ),
    gauge(
      'rdap_domain_status',
      'The statuses of the registration (RFC 8056).',
      statuses.map((each) => [`{status=${JSON.stringify(each)}}`, 1]),
    ),
    gauge(
      'rdap_domain_expiry_timestamp_seconds',
      'When the registration expires.',
      expiresAt ? [['', Date.parse(expiresAt) / 1000]] : [],
    ),
    gauge(
      'rdap_domain_operator_expiry_timestamp_seconds',
      'When the registration expires, according to the operator of the gateway.',
      knownExpiry ? [['', Date.parse(knownExpiry) / 1000]] : [],
    ),
    gauge(
      'rdap_domain_answer_age_seconds',
      'The age of the answer.',
      checkedAt ? [['', Math.max(0, now - Date.parse(checkedAt)) / 1000]] : [],
    ),
  ];
}

/** Returns a metric with its samples; nothing without any. */
function gauge(
  name: string,
  help: string,
  samples: readonly (readonly [labels: string, value: number])[],
): string {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}\n`);
  return lines.length === 0
    ? ''
    : `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}
