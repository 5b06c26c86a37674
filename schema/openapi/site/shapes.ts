import { agentSignalNames } from '../../../src/domain/site/agent-signals.ts';
import { tlsSections, tlsSeverities } from '../../../src/domain/site/tls/tls-scan.ts';
import { siteOperations } from '../../../src/http/rest/site/operations.ts';
import { baseSchema } from '../../schema.ts';
import { objectOf, orNull, schemaRef, type JsonSchema, type Properties } from '../json-schema.ts';
import { operationShape } from '../operation-shape.ts';

type SitePath = keyof typeof siteOperations;

/** The names of the schemas of the bodies, by path. */
export const siteBodies = {
  '/v1/robots': 'RobotsBody',
  '/v1/ssl/deep-scan': 'TlsScanBody',
  '/v1/url-intelligence': 'PageBody',
  '/v1/identity-assets': 'IdentityAssetsBody',
  '/v1/identity-resolution': 'IdentityBody',
  '/v1/agent-readiness': 'AgentReadinessBody',
  '/v1/tech': 'TechnologiesBody',
  '/v1/categorize': 'CategoriesBody',
  '/v1/certificates': 'CertificatesBody',
  '/v1/subdomains': 'SubdomainsBody',
} as const satisfies Record<SitePath, string>;

/** The members of results that are at the top of every body, or only in headers. */
const commonMembers = ['problem', 'cached', 'checked_at', 'fresh_until', 'latency_ms'];

const text = (description: string): JsonSchema => ({ type: 'string', description });
const textOrNull = (description: string) => orNull(text(description));
const count = (description: string): JsonSchema => ({ type: 'integer', minimum: 0, description });
const flag = (description: string): JsonSchema => ({ type: 'boolean', description });
const listOf = (items: JsonSchema, description: string): JsonSchema => ({
  type: 'array',
  items,
  description,
});

/** Returns the schemas of the bodies about sites and of their parts, by name. */
export function siteShapes(): Properties {
  const shapes: Record<string, JsonSchema> = {};
  for (const path of Object.keys(siteBodies) as SitePath[]) {
    const { result, types } = resultOf(path);
    Object.assign(shapes, types);
    const hasState = 'fetch_state' in result || 'outcome' in result;
    shapes[siteBodies[path]] = bodyOf(result, bodies[path](result, shapes), hasState);
  }
  // The bodies contain parts of these types only.
  const { TlsProtocol: _protocol, DeclaredText: _text, ...used } = shapes;
  return { ...used, DisposableMailBody: disposableMailShape };
}

/** Returns the members of the result of an operation, and the types that they refer to. */
function resultOf(path: SitePath): { readonly result: Properties; readonly types: Properties } {
  const { properties, types } = operationShape(baseSchema, siteOperations[path]);
  const name = String(properties['result']?.['$ref']).replace(/^.*\//, '');
  const { [name]: result, LookupProblem: _problem, ...others } = types;
  return { result: (result?.['properties'] ?? {}) as Properties, types: others };
}

function bodyOf(
  { cached, checked_at: checkedAt }: Properties,
  members: Properties,
  hasState: boolean,
): JsonSchema {
  const problem = {
    ...objectOf({ code: text('A problem code.'), detail: text('What happened.') }),
    description: 'Why the site could not be read. Absent if it was read.',
  };
  return objectOf(
    {
      domain: text('The host name in A-labels.'),
      ...members,
      ...(hasState && { problem }),
      checked_at: { ...checkedAt },
      cached: { ...cached },
      latency_ms: { type: 'integer', description: 'How long the result took, in milliseconds.' },
    },
    ['problem'],
  );
}

function without(result: Properties, names: readonly string[]): Properties {
  const excluded = [...commonMembers, ...names];
  return Object.fromEntries(Object.entries(result).filter(([key]) => !excluded.includes(key)));
}

type Shapes = Record<string, JsonSchema>;
type BodyMembers = (result: Properties, shapes: Shapes) => Properties;

const plain: BodyMembers = (result) => without(result, []);

/** Returns the members of each body: those of the result, as the endpoint arranges them. */
const bodies: Readonly<Record<SitePath, BodyMembers>> = {
  '/v1/robots': plain,
  '/v1/url-intelligence': plain,
  '/v1/tech': (result, shapes) => {
    const { version, ...technology } = propertiesIn(shapes, 'Technology');
    shapes['Technology'] = {
      ...shapes['Technology'],
      ...objectOf({ ...technology, version: { ...version, type: 'string' } }, ['version']),
    };
    return plain(result, shapes);
  },
  '/v1/categorize': (result, shapes) => {
    const { source: _source, ...category } = propertiesIn(shapes, 'SiteCategory');
    shapes['SiteCategory'] = {
      ...shapes['SiteCategory'],
      ...objectOf({
        ...category,
        signals: listOf(text('Such as `json_ld`.'), 'What declares the category.'),
      }),
    };
    return {
      ...without(result, []),
      primary_category: textOrNull('The first category; null if none is declared.'),
    };
  },
  '/v1/identity-assets': (result) => ({
    ...without(result, [
      ...assetFields,
      'organization',
      'manifest_url',
      'theme_color',
      'candidates',
    ]),
    organization_name: textOrNull('The name that the page declares.'),
    assets: objectOf({
      logo_url: textOrNull('The logo.'),
      logo_source: textOrNull('What declares the logo.'),
      favicon_url: textOrNull('The icon.'),
      touch_icon_url: textOrNull('The icon for home screens.'),
      preview_image_url: textOrNull('The image for link previews.'),
      manifest_url: { ...result['manifest_url'] },
      theme_color: { ...result['theme_color'] },
      candidates: { ...result['candidates'] },
    }),
    evidence: listOf(
      objectOf({ field: text('A member of the body.'), source: text('What declares it.') }),
      'What declares the members.',
    ),
  }),
  '/v1/identity-resolution': (result) => ({
    ...without(result, ['organization', 'description']),
    canonical_domain: text('The host name of `website_url`.'),
    organization: objectOf({
      name: textOrNull('The name that the page declares.'),
      description: textOrNull('The description that the page declares.'),
    }),
    evidence: objectOf({
      declared_identity_count: count('Number of identities.'),
      sources: listOf(text('`same_as` or `rel_me`.'), 'What declares them.'),
    }),
  }),
  '/v1/agent-readiness': (result, shapes) => {
    const { name: _name, ...signal } = propertiesIn(shapes, 'AgentSignal');
    shapes['AgentSignal'] = { ...shapes['AgentSignal'], ...objectOf(signal) };
    return {
      ...without(result, ['signals', 'probe_count', 'max_probes']),
      signals: {
        ...objectOf(
          Object.fromEntries(agentSignalNames.map((name) => [name, schemaRef('AgentSignal')])),
          agentSignalNames,
        ),
        description: 'The signals by name; empty if the site could not be read.',
      },
      summary: objectOf({
        detected_signals: count('Number of signals that were detected.'),
        total_signals: count('Number of signals.'),
      }),
      meta: objectOf({
        probe_count: { ...result['probe_count'] },
        max_probes: { ...result['max_probes'] },
      }),
    };
  },
  '/v1/ssl/deep-scan': tlsMembers,
  '/v1/certificates': (result, shapes) => {
    shapes['LoggedCertificate'] = {
      ...shapes['LoggedCertificate'],
      ...objectOf({
        ...propertiesIn(shapes, 'LoggedCertificate'),
        source: text('The host name of the certificate search.'),
      }),
    };
    return {
      certificates: { ...result['certificates'] },
      summary: objectOf({
        total_found: count('Number of certificates that match.'),
        returned: count('Number of certificates in this response.'),
        unique_subdomains: { ...result['unique_subdomains'] },
        issuers: { ...result['issuers'] },
        earliest_cert: { ...result['earliest_cert'] },
        latest_cert: { ...result['latest_cert'] },
      }),
      pagination: objectOf({
        limit: count('The limit that was applied.'),
        returned: count('Number of certificates in this response.'),
        total: count('Number of certificates that match.'),
        has_more: flag('Whether more certificates follow.'),
        next_cursor: { ...result['next_cursor'] },
      }),
      warnings: warningsShape,
    };
  },
  '/v1/subdomains': (result, shapes) => {
    shapes['Subdomain'] = {
      ...shapes['Subdomain'],
      ...objectOf({
        ...propertiesIn(shapes, 'Subdomain'),
        source: { type: 'string', enum: ['ct'], description: 'Certificate Transparency.' },
        verified: flag('Always false: the names are not looked up.'),
      }),
    };
    return {
      ...without(result, ['source', 'total', 'truncated']),
      summary: objectOf({
        total_found: count('Number of names, before the limit.'),
        returned: count('Number of names in this response.'),
        verified_count: count('Always 0.'),
        sources_used: listOf(text('`ct`.'), 'The sources of the names.'),
      }),
      warnings: warningsShape,
    };
  },
};

const assetFields = ['logo', 'favicon', 'touch_icon', 'preview_image'];
const warningsShape = listOf({ type: 'string' }, 'What is missing or uncertain.');

function tlsMembers(result: Properties): Properties {
  const finding = objectOf({
    id: text('A stable identifier, such as `tls_1_0`.'),
    severity: text('`critical`, `high`, `medium`, `low`, `info` or `ok`.'),
    finding: text('A sentence.'),
  });
  const severities = tlsSeverities.map((severity) => [severity, count('Number of findings.')]);
  const sections = tlsSections.map((section) => [section, listOf(finding, 'The findings.')]);
  const boolean = orNull(flag('Null if it could not be tested.'));
  return {
    status: { type: 'string', enum: ['ready'], description: 'A scan is always complete.' },
    error: { type: 'null', description: 'A failed scan is a problem response.' },
    result: objectOf({
      domain: text('The host name.'),
      host: { ...result['host'] },
      port: { ...result['port'] },
      engine: objectOf({
        name: text('The scanner.'),
        mode: { type: 'string', enum: ['builtin'], description: 'The scanner of this gateway.' },
        version: text('Its version.'),
        profile: textOrNull('`standard` or `full`.'),
      }),
      target: objectOf({
        ip: textOrNull('The address that was scanned; null if the operator or the sandbox set it.'),
      }),
      summary: objectOf({
        severity_counts: objectOf(Object.fromEntries(severities)),
        actionable_findings: count('Number of findings above `info`.'),
        protocols_offered: listOf(text('Such as `TLSv1.3`.'), 'The protocols that are offered.'),
        deprecated_protocols: listOf(text('Such as `TLSv1`.'), 'Those that RFC 8996 deprecates.'),
        supports_tls_1_3: boolean,
        supports_http2: boolean,
        trusted: { ...result['trusted'] },
        trust_error: { ...result['trust_error'] },
        ocsp_staple: { ...result['ocsp_staple'] },
      }),
      sections: objectOf(Object.fromEntries(sections)),
      findings: { ...result['findings'] },
      certificates: { ...result['certificates'] },
      checked_at: { ...result['checked_at'] },
      scan_duration_ms: count('How long the scan took, in milliseconds.'),
      notes: { ...result['notes'] },
    }),
  };
}

function propertiesIn(shapes: Shapes, name: string): Properties {
  return (shapes[name]?.['properties'] ?? {}) as Properties;
}

const disposableMailShape = objectOf({
  domains: listOf({ type: 'string' }, 'Domains in alphabetical order.'),
  total: count('Number of domains on the list.'),
  limit: count('The limit that was applied.'),
  next_cursor: textOrNull('The `cursor` of the next page; null on the last one.'),
  metadata: objectOf({
    last_updated: orNull({
      type: 'string',
      format: 'date-time',
      description: 'When the list was changed; null if unknown.',
    }),
    total_domains: count('Number of domains on the list.'),
    sources: listOf({ type: 'string' }, 'The names of the list.'),
    refresh_status: text('`static_fallback`: a list of the gateway; `file`: one of the operator.'),
  }),
});
