import { parseDomainName, splitName, type DomainName } from '../../domain/domain-name.ts';
import { Problem, problems, type ProblemCode } from '../../domain/problems.ts';
import { ageOf, type AgeMembers } from '../messages/freshness.ts';
import { failureOf, problemSelection, type ProblemFields } from '../messages/lookup-problem.ts';
import type { Directories, RdapAnswer, RdapLookup } from './rdap-lookup.ts';

const operation = `query RdapDomain($name: String!, $maxAge: Int) {
  domain(name: $name, maxAge: $maxAge) {
    domain
    available
    status
    source
    rdap_endpoint: rdapEndpoint
    cached
    stale
    checked_at: checkedAt
    fresh_until: freshUntil
    ${problemSelection}
    evidence { sources { source answer } }
    rdap { raw }
  }
}`;

interface DomainRow extends AgeMembers {
  readonly domain: string;
  readonly available: boolean | null;
  readonly status: string;
  readonly source: string | null;
  readonly stale: boolean;
  readonly rdap_endpoint: string | null;
  readonly problem: ProblemFields | null;
  readonly evidence: {
    readonly sources: readonly { readonly source: string; readonly answer: string }[];
  } | null;
  readonly rdap: { readonly raw: unknown } | null;
}

/** `/rdap/domain/NAME` (RFC 9082 section 3.1.3). */
export const domainLookup: RdapLookup = {
  type: 'domain',
  argument: 'NAME',
  operation,
  parse(argument) {
    const name = parseDomainName(argument);
    return {
      variables: { name },
      readAnswer: (data) => answerOf((data as { domain: DomainRow }).domain),
      registryUrl: (directories) => registryUrl(name, directories),
    };
  },
};

function answerOf(row: DomainRow): RdapAnswer {
  const { domain, available, source, rdap_endpoint: endpoint } = row;
  return {
    result: resultOf(row),
    source,
    sourceUrl: endpoint === null ? null : lookupUrl(endpoint, domain),
    age: ageOf(row, available ?? undefined),
  };
}

/**
 * Returns the object, or why there is none. Only a name that is known to be unregistered is not
 * found: clients read a 404 as "available".
 */
function resultOf(row: DomainRow): RdapAnswer['result'] {
  const { domain, available, status, source, problem, rdap } = row;
  if (available === null) throw failureOf(problem, domain, row.rdap_endpoint);
  if (typeof rdap?.raw === 'object' && rdap.raw !== null) return { object: rdap.raw };
  if (available) return { problem: new Problem('not_found', `${domain} is not registered.`) };
  const isWithheld = problem !== null && problem.code !== 'no_rdap';
  if (status === 'RESERVED' && (source === 'rdap' || isWithheld)) {
    const reason = isWithheld ? problem.detail : 'the name is reserved by the registry.';
    const detail = `${domain} is not registered: ${reason}`;
    return { problem: new Problem('not_found', detail) };
  }
  const failure = rdapFailure(row);
  const detail = problem?.detail ?? 'The name is registered, but its record is not available.';
  if (failure) throw new Problem(failure, detail);
  return { problem: new Problem('no_rdap', detail) };
}

/** Returns why RDAP gave no record of a registered name now, if a later lookup may return it. */
function rdapFailure({ source, stale, evidence }: DomainRow): ProblemCode | undefined {
  const answer = evidence?.sources.find((report) => report.source === 'rdap')?.answer;
  if (answer !== undefined && Object.hasOwn(problems, answer)) return answer as ProblemCode;
  return stale || source === 'rdap' ? 'registry_error' : undefined;
}

function registryUrl(name: DomainName, { domains }: Directories): string | null {
  const split = splitName(name);
  const resolution = domains.resolve(split);
  if ('problem' in resolution) throw resolution.problem;
  const { suffix } = split;
  if (suffix === 'test' || suffix.endsWith('.test')) return null; // the sandbox
  const server = resolution.registry.sources.find(({ kind }) => kind === 'rdap');
  if (typeof server?.endpoint !== 'string')
    throw new Problem('not_implemented', `No RDAP server is known for .${suffix}.`);
  return lookupUrl(server.endpoint, name);
}

function lookupUrl(baseUrl: string, name: string): string {
  return `${baseUrl}domain/${name}`;
}
