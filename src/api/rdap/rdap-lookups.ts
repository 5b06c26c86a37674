import {
  lookupPath,
  parseObjectRef,
  type ObjectRef,
  type ObjectType,
} from '../../domain/object-ref.ts';
import { Problem, problems, type ProblemCode } from '../../domain/problems.ts';
import { ageOf, type AgeMembers } from '../../server/messages/freshness.ts';
import {
  failureOf,
  problemSelection,
  type ProblemFields,
} from '../../server/messages/lookup-problem.ts';
import { parseDomainName, splitName, type DomainName } from '../../domain/names/domain-name.ts';
import { isReverseName } from '../../domain/names/reverse-zone.ts';
import type { RestRow } from '../rest/rows.ts';
import type { Directory, ObjectDirectory } from '../../domain/directory.ts';
import type { OutcomeAge } from '../../domain/outcome.ts';

/** A type of lookup (RFC 9082 section 3.1). */
export interface RdapLookup {
  /** The path segment after `/rdap/`. */
  readonly type: 'domain' | ObjectType;
  /** What follows it, e.g. `NAME`. */
  readonly argument: string;
  /** Parses the decoded rest of a path. Throws the `Problem` of an invalid one. */
  parse(argument: string): ParsedLookup;
}

/** The directories that find the servers of objects. */
export interface Directories {
  readonly domains: Directory;
  readonly objects: ObjectDirectory;
}

interface ParsedLookup {
  /** The saved operation. It has the variable `maxAge`. */
  readonly operation: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Reads the data of the operation. Throws the `Problem` of a lookup without an answer. */
  readAnswer(data: unknown): RdapAnswer;
  /**
   * Returns the URL of the lookup at the registry, without looking anything up; null if only the
   * gateway can reach its server. Throws the `Problem` of an object without a server.
   */
  registryUrl(directories: Directories): Promise<string | null> | string | null;
}

/** An answer of a source. */
export interface RdapAnswer {
  /** The registry's object, or why there is none: `not_found`, or `no_rdap`. */
  readonly result: { readonly object: object } | { readonly problem: Problem };
  /** The protocol in which the source was queried. */
  readonly source: string | null;
  /** URL of the lookup at the registry; null if another protocol gave the answer. */
  readonly sourceUrl: string | null;
  readonly age: OutcomeAge;
}

/** Selects what all lookups have, with the keys of REST bodies. */
const lookupSelection = `rdap_endpoint: rdapEndpoint cached stale checked_at: checkedAt fresh_until: freshUntil ${problemSelection}`;

interface LookupRow extends AgeMembers {
  readonly problem: ProblemFields | null;
  readonly rdap_endpoint: string | null;
}

/** The types of lookups that `/rdap` supports (RFC 9082 section 3.1). */
export const rdapLookups: readonly RdapLookup[] = [
  domainLookup(),
  objectLookup('ip', 'ADDRESS', '$id: String!', 'ip(address: $id'),
  objectLookup('autnum', 'NUMBER', '$id: ID!', 'autnum(number: $id'),
  objectLookup('entity', 'HANDLE', '$id: String!', 'entity(handle: $id'),
  objectLookup('nameserver', 'NAME', '$id: String!', 'nameserver(name: $id'),
];

interface DomainRow extends LookupRow, Pick<RestRow, 'domain' | 'available' | 'status' | 'source'> {
  readonly evidence: {
    readonly sources: readonly { readonly source: string; readonly answer: string }[];
  } | null;
  readonly rdap: { readonly raw: unknown } | null;
}

const domainOperation = `query RdapDomain($name: String!, $maxAge: Int) {
  domain(name: $name, maxAge: $maxAge) {
    domain available status source evidence { sources { source answer } } rdap { raw }
    ${lookupSelection}
  }
}`;

/** `/rdap/domain/NAME` (RFC 9082 section 3.1.3), also for reverse zones. */
function domainLookup(): RdapLookup {
  const zones = objectLookup('reverse_zone', 'NAME', '$id: String!', 'reverseZone(name: $id');
  return {
    type: 'domain',
    argument: 'NAME',
    parse(argument) {
      if (isReverseName(argument)) return zones.parse(argument);

      const name = parseDomainName(argument);
      return {
        operation: domainOperation,
        variables: { name },
        readAnswer: (data) => answerOfDomain((data as { domain: DomainRow }).domain),
        registryUrl: (directories) => urlOfDomain(name, directories),
      };
    },
  };
}

function answerOfDomain(row: DomainRow): RdapAnswer {
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

function urlOfDomain(name: DomainName, { domains }: Directories): string | null {
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

interface ObjectRow extends LookupRow {
  readonly found: boolean | null;
  readonly raw: object | null;
}

function objectLookup(
  type: ObjectType,
  argument: string,
  variable: string,
  field: string,
): RdapLookup {
  const operation = `query RdapObject(${variable}, $maxAge: Int) {
    object: ${field}, maxAge: $maxAge) { found raw ${lookupSelection} }
  }`;
  return {
    type,
    argument,
    parse(id) {
      const ref = parseObjectRef(type, id);
      return {
        operation,
        variables: { id },
        readAnswer: (data) => answerOfObject((data as { object: ObjectRow | null }).object, ref),
        registryUrl: (directories) => urlOfObject(ref, directories),
      };
    },
  };
}

function answerOfObject(row: ObjectRow | null, ref: ObjectRef): RdapAnswer {
  const detail = `The registry has no object for ${lookupPath(ref)}.`;
  if (row === null) throw new Problem('not_found', detail);

  const { found, raw, problem, rdap_endpoint: endpoint } = row;
  if (found === null || (found && raw === null))
    throw failureOf(problem, lookupPath(ref), endpoint);

  return {
    result: raw === null ? { problem: new Problem('not_found', detail) } : { object: raw },
    source: 'rdap',
    sourceUrl: endpoint === null ? null : endpoint + lookupPath(ref),
    age: ageOf(row, raw),
  };
}

async function urlOfObject(ref: ObjectRef, { objects }: Directories): Promise<string | null> {
  const resolution = await objects.resolve(ref);
  if ('problem' in resolution) throw resolution.problem;
  const { server, isFree } = resolution;
  return isFree ? null : server.id + lookupPath(ref);
}
