import packageJson from '../../../package.json' with { type: 'json' };
import * as shape from '../../api/rest/shape.ts';
import type { Members } from '../../api/rest/shape.ts';
import { mapOutcome } from '../../domain/outcome.ts';
import { fieldFacts } from '../../execution/field-facts.ts';
import { builder } from '../../schema/builder.ts';
import { skipCache } from '../../server/messages/deprecations.ts';
import { keyOfHost, type Fact } from '../fact.ts';
import { lowerCase, readProblems, siteEndpoint } from '../site-endpoint.ts';
import {
  lookUp,
  maxAgeArg,
  type SiteFieldBuilder,
  type SiteFieldRef,
  type Feature,
} from '../site-field.ts';
import { lookupOf } from '../site-lookup.ts';
import { choiceParameter } from '../site-parameters.ts';
import { resultType } from '../site-result.ts';
import { summarizeTls, type TlsSummary } from './tls-findings.ts';
import type { TlsScan } from './describe-scan.ts';
import {
  tlsProfileOf,
  tlsProfiles,
  tlsSections,
  tlsSeverities,
  type TlsFinding,
  type TlsVersion,
} from './tls-scan.ts';

const fact: Fact<TlsScan> = {
  name: 'tls',
  from: 'site',
  keyOf: (query) => `${query.profile ?? 'standard'} ${keyOfHost(query)}`,
  isTemporary: hasFailedProbe,
  open: async ({ tls }) => (await import('./tls-reader.ts')).tlsReader(tls),
  sandbox: async (...query) => (await import('../sandbox/sandbox-facts.ts')).sandboxScan(...query),
};

const lookup = lookupOf(fact, { price: 10, workMs: 30, about: 'host' });

function hasFailedProbe({ protocols, cipherCategories, supportsHttp2 }: TlsScan): boolean {
  const results = [...protocols, ...cipherCategories].map(({ isOffered }) => isOffered);
  return [...results, supportsHttp2].includes(null);
}

interface Scan {
  readonly profile: string | null;
  readonly address: string | null;
  readonly protocols: readonly { readonly version: TlsVersion; readonly offered: boolean | null }[];
  readonly supports_http2: boolean | null;
  readonly findings: readonly TlsFinding[];
  readonly duration_ms: number;
}

const finding = shape.objectOf({
  id: shape.text('A stable identifier, such as `tls_1_0`.'),
  severity: shape.text('`critical`, `high`, `medium`, `low`, `info` or `ok`.'),
  finding: shape.text('A sentence.'),
});
const severityCounts = tlsSeverities.map((severity) => [
  severity,
  shape.count('Number of findings.'),
]);
const sections = tlsSections.map((section) => [section, shape.list('The findings.', finding)]);

const summaryMembers: Members<TlsSummary> = {
  severity_counts: [shape.objectOf(Object.fromEntries(severityCounts)), 'severityCounts'],
  actionable_findings: shape.count('Number of findings above `info`.', 'actionableFindings'),
  protocols_offered: [
    shape.list('The protocols that are offered.', shape.text('Such as `TLSv1.3`.')),
    'protocolsOffered',
  ],
  deprecated_protocols: [
    shape.list('Those that RFC 8996 deprecates.', shape.text('Such as `TLSv1`.')),
    'deprecatedProtocols',
  ],
  supports_tls_1_3: [
    shape.flag('Absent if it could not be tested.'),
    ({ supportsTls13 }) => supportsTls13 ?? undefined,
    'optional',
  ],
  supports_http2: [shape.orNull(shape.flag('Null if it could not be tested.')), 'supportsHttp2'],
  ...shape.same('trusted', 'trust_error', 'ocsp_staple'),
};

const profileMember = shape.textOrNull('`standard` or `full`.', ({ profile }: Scan) =>
  lowerCase(profile),
);

const profileParameter = choiceParameter(
  'profile',
  'TlsProfile!',
  tlsProfiles,
  '`full` also tests categories of ciphers.',
);

/** `GET /v1/ssl/deep-scan`: what the server of a site offers over TLS. A scan is always complete. */
const endpoint = siteEndpoint<Scan>('/v1/ssl/deep-scan', {
  lookup,
  summary: 'Scan what a server offers over TLS',
  description:
    'Connects to port 443 with each version of TLS, and returns the protocols, the certificate and findings. `notes` lists what cannot be tested.',
  parameters: {
    // Its values are an enum in GraphQL.
    profile: {
      ...profileParameter,
      read: (parameters) => profileParameter.read(parameters).toUpperCase(),
    },
  },
  problems: readProblems,
  aliases: { refresh: skipCache },
  selection: `
    host port address profile
    protocols { version offered }
    supports_http2: supportsHttp2
    certificates {
      subject organization issuer names serial_number: serialNumber not_before: notBefore
      not_after: notAfter key_type: keyType key_size: keySize fingerprint_sha256: fingerprintSha256
    }
    trusted trust_error: trustError ocsp_staple: ocspStaple
    findings { id: findingId section severity finding }
    duration_ms: durationMs
    notes
  `,
  name: 'TlsScanBody',
  members: {
    status: [
      { type: 'string', enum: ['ready'], description: 'A scan is always complete.' },
      () => 'ready',
    ],
    ...shape.same('host', 'port'),
    profile: profileMember,
    result: shape.object({
      domain: shape.text('The host name.', 'domain'),
      ...shape.same('host', 'port'),
      engine: shape.object({
        name: shape.text('The scanner.', () => packageJson.name),
        mode: [
          { type: 'string', enum: ['builtin'], description: 'The scanner of this gateway.' },
          () => 'builtin',
        ],
        version: shape.text('Its version.', () => packageJson.version),
        profile: profileMember,
      }),
      target: shape.object({
        ip: shape.textOrNull(
          'The address that was scanned; null if the operator or the sandbox set it.',
          'address',
        ),
      }),
      summary: [
        (source) => shape.print(summaryMembers, source),
        (scan) => shape.render(summaryMembers, summaryOf(scan)),
      ],
      sections: [
        shape.objectOf(Object.fromEntries(sections)),
        ({ findings }) => bySection(findings),
      ],
      ...shape.same('findings', 'certificates', 'checked_at'),
      scan_duration_ms: shape.count('How long the scan took, in milliseconds.', (scan) =>
        Math.round(scan.duration_ms),
      ),
      ...shape.same('notes'),
    }),
  },
});

function summaryOf(scan: Scan): Scan & TlsSummary {
  const summary = summarizeTls({
    findings: scan.findings,
    protocols: scan.protocols.map(({ version, offered }) => ({ version, isOffered: offered })),
    supportsHttp2: scan.supports_http2,
  });
  return { ...scan, ...summary };
}

function bySection(findings: readonly TlsFinding[]): object {
  const inSection = Map.groupBy(findings, ({ section }) => section);
  return Object.fromEntries(
    tlsSections.map((section) => [
      section,
      (inSection.get(section) ?? []).map(({ section: _section, ...rest }) => rest),
    ]),
  );
}

const TlsProfileType = builder.enumType('TlsProfile', {
  values: ['STANDARD', 'FULL'] as const,
});

/** The feature `tls`: what the server of a site offers over TLS. */
export const tls = {
  lookup,
  field: (t: SiteFieldBuilder): SiteFieldRef =>
    t.field({
      type: resultType('Tls'),
      extensions: fieldFacts({ cost: lookup.price }),
      args: {
        profile: t.arg({ type: TlsProfileType, defaultValue: 'STANDARD', required: true }),
        ...maxAgeArg,
      },
      resolve: async (site, { profile }, context) => {
        const outcome = await lookUp(lookup, site, context, tlsProfileOf(profile));
        return mapOutcome(outcome, (scan) => ({ ...scan, profile }));
      },
    }),
  endpoints: [endpoint],
} satisfies Feature;
