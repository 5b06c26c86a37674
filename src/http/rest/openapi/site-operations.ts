import type { ProblemCode } from '../../../domain/problems.ts';
import { callerProblems, parameterProblems } from './common-problems.ts';
import { schemaRef } from './json-schema.ts';
import {
  defaultBaseUrl as gateway,
  type OperationDescription,
  type OperationDescriptions,
} from './operation-description.ts';
import type { ParameterName } from './parameters.ts';
import { siteBodies } from './site-shapes.ts';

const common = ['naming', 'Service-Naming', 'If-None-Match'] as const;

const commonProblems = [...parameterProblems, ...callerProblems] as const;

const siteProblems = [
  ...commonProblems,
  'insufficient_credits',
  'invalid_name',
  'invalid_max_age',
  'not_implemented',
] as const;

const readProblems = ['site_unreachable', 'site_blocked', 'site_timeout'] as const;

const unreadable =
  'If the page cannot be read (`blocked` or `http_error`), the response is a 200 with this `fetch_state`, and nothing is charged.';
const domainOrUrl = ['site_domain', 'url', 'site_max_age'] as const;

interface SiteOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly ParameterName[];
  readonly problems?: readonly ProblemCode[];
  readonly query?: string;
}

function operation(
  path: keyof typeof siteBodies,
  { query = 'domain=taken.test', parameters, problems = [], ...texts }: SiteOperation,
): OperationDescription {
  return {
    ...texts,
    tag: 'Sites',
    parameters: [...parameters, ...common],
    problems: [...siteProblems, ...problems],
    success: 'The result.',
    content: { 'application/json': { schema: schemaRef(siteBodies[path]) } },
    curl: `curl '${gateway}${path}?${query}'`,
  };
}

/** The operations about sites. */
export const siteDescriptions: OperationDescriptions = {
  'GET /v1/robots': operation('/v1/robots', {
    operationId: 'getRobots',
    summary: 'Read the robots.txt of a site',
    description:
      'Returns the groups, rules, sitemaps and content signals of the file (RFC 9309). Without a file, `access` is `allow_all`; if the server failed, it is `disallow_all`, and the call costs nothing. 1 credit.',
    parameters: ['site_domain', 'site_max_age'],
    problems: readProblems,
  }),
  'GET /v1/ssl/deep-scan': operation('/v1/ssl/deep-scan', {
    operationId: 'getSslDeepScan',
    summary: 'Scan what a server offers over TLS',
    description:
      'Connects to port 443 with each version of TLS, and returns the protocols, the certificate and findings. `notes` lists what cannot be tested. 10 credits.',
    parameters: ['site_domain', 'profile', 'site_max_age'],
    problems: readProblems,
  }),
  'GET /v1/email/blacklist': {
    operationId: 'getEmailBlacklist',
    tag: 'Sites',
    summary: 'List disposable mail domains',
    description:
      'Returns a page of a list of domains that offer disposable mailboxes, in alphabetical order; with `format=txt`, one domain per line. It is not a blocklist of spam. Free.',
    parameters: ['mail_limit', 'cursor', 'format', ...common],
    problems: commonProblems,
    success: 'A page of the list.',
    content: { 'application/json': { schema: schemaRef('DisposableMailBody') } },
    alternatives: {
      'text/plain': { schema: { type: 'string', description: 'One domain per line.' } },
    },
    curl: `curl '${gateway}/v1/email/blacklist?limit=10'`,
  },
  'GET /v1/url-intelligence': operation('/v1/url-intelligence', {
    operationId: 'getUrlIntelligence',
    summary: 'Read what a page declares',
    description: `Returns the title, metadata, structured data, links and security headers of a page, and the redirects to it. ${unreadable} 2 credits.`,
    parameters: ['url', 'site_max_age'],
    query: 'url=https://taken.test/',
  }),
  'GET /v1/identity-assets': operation('/v1/identity-assets', {
    operationId: 'getIdentityAssets',
    summary: 'Read the name, images and profiles of a site',
    description: `Returns the organization, logo, icons and social profiles that the home page declares, each with its source. ${unreadable} 2 credits.`,
    parameters: ['site_domain', 'site_max_age'],
  }),
  'GET /v1/identity-resolution': operation('/v1/identity-resolution', {
    operationId: 'getIdentityResolution',
    summary: 'Read the declared identities of a site',
    description: `Returns the identities that the home page declares by \`sameAs\` or \`rel=me\`. Nothing is inferred, and no declaration is verified. ${unreadable} 2 credits.`,
    parameters: ['site_domain', 'site_max_age'],
  }),
  'GET /v1/agent-readiness': operation('/v1/agent-readiness', {
    operationId: 'getAgentReadiness',
    summary: 'Detect agent-readiness signals',
    description:
      'Requests at most 20 fixed paths, and returns the signals with their evidence, without a score. `not_detected` does not prove absence. If the site cannot be read, `outcome` is `unavailable`, and the call costs nothing. 3 credits.',
    parameters: domainOrUrl,
  }),
  'GET /v1/tech': operation('/v1/tech', {
    operationId: 'getTech',
    summary: 'Recognize the technologies of a page',
    description:
      'Recognizes well-known products by headers, cookies, HTML and DNS records, each with its evidence. Scripts are not run. 3 credits.',
    parameters: domainOrUrl,
    problems: readProblems,
  }),
  'GET /v1/categorize': operation('/v1/categorize', {
    operationId: 'getCategorize',
    summary: 'Read the declared categories of a page',
    description:
      'Returns the categories of the types of schema.org and Open Graph that the page declares; none if it declares none. 3 credits.',
    parameters: domainOrUrl,
    problems: readProblems,
  }),
  'GET /v1/certificates': operation('/v1/certificates', {
    operationId: 'getCertificates',
    summary: 'List logged certificates of a name',
    description:
      'Returns the certificates that the certificate search of the operator (`CT_SEARCH_URL`) finds; 501 without one. For the next page, pass `next_cursor` as `cursor`. 2 credits.',
    parameters: [
      'site_domain',
      'include_subdomains',
      'include_expired',
      'certificate_limit',
      'site_max_age',
    ],
    problems: ['ct_unavailable', 'site_timeout'],
  }),
  'GET /v1/subdomains': operation('/v1/subdomains', {
    operationId: 'getSubdomains',
    summary: 'List names under a name in logged certificates',
    description:
      'Returns the names under a name that logged certificates contain; 501 without a certificate search (`CT_SEARCH_URL`). The names are not looked up. 4 credits.',
    parameters: ['site_domain', 'include_wildcards', 'subdomain_limit', 'site_max_age'],
    problems: ['ct_unavailable', 'site_timeout'],
  }),
};
