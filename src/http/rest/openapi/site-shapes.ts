import { siteOperations } from '../site-operations.ts';
import { baseSchema } from '../../../../schema/schema.ts';
import { objectOf, type JsonSchema, type Properties } from './json-schema.ts';
import { operationShape } from './operation-shape.ts';
import { certificatesMembers, subdomainsMembers } from './certificate-members.ts';
import { disposableMailShape } from './disposable-mail.ts';
import {
  agentReadinessMembers,
  categoriesMembers,
  identityAssetsMembers,
  identityMembers,
  technologiesMembers,
} from './page-members.ts';
import { text, without, type BodyMembers } from './parts.ts';
import { tlsMembers } from './tls-members.ts';

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

/** Members that the endpoint does not rearrange. */
const unchanged: BodyMembers = (result) => without(result, []);

const bodies: Readonly<Record<SitePath, BodyMembers>> = {
  '/v1/robots': unchanged,
  '/v1/url-intelligence': unchanged,
  '/v1/tech': technologiesMembers,
  '/v1/categorize': categoriesMembers,
  '/v1/identity-assets': identityAssetsMembers,
  '/v1/identity-resolution': identityMembers,
  '/v1/agent-readiness': agentReadinessMembers,
  '/v1/ssl/deep-scan': tlsMembers,
  '/v1/certificates': certificatesMembers,
  '/v1/subdomains': subdomainsMembers,
};

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
