import { lookupPath, type ObjectRef, type ObjectType } from '../../domain/object-ref.ts';
import { parseObjectRef } from '../../domain/parse-object-ref.ts';
import { Problem } from '../../domain/problems.ts';
import { ageOf, type AgeMembers } from '../messages/freshness.ts';
import { failureOf, problemSelection, type ProblemFields } from '../messages/lookup-problem.ts';
import { domainLookup } from './domain-lookup.ts';
import type { Directories, RdapAnswer, RdapLookup } from './rdap-lookup.ts';

/** The types of lookups that `/rdap` supports (RFC 9082 section 3.1). */
export const rdapLookups: readonly RdapLookup[] = [
  domainLookup,
  objectLookup('ip', 'ADDRESS', '$id: String!', 'ip(address: $id'),
  objectLookup('autnum', 'NUMBER', '$id: ID!', 'autnum(number: $id'),
  objectLookup('entity', 'HANDLE', '$id: String!', 'entity(handle: $id'),
  objectLookup('nameserver', 'NAME', '$id: String!', 'nameserver(name: $id'),
];

interface ObjectRow extends AgeMembers {
  readonly found: boolean | null;
  readonly problem: ProblemFields | null;
  readonly rdap_endpoint: string | null;
  readonly raw: object | null;
}

function objectLookup(
  type: ObjectType,
  argument: string,
  variable: string,
  field: string,
): RdapLookup {
  return {
    type,
    argument,
    operation: `query RdapObject(${variable}, $maxAge: Int) {
      object: ${field}, maxAge: $maxAge) {
        found
        rdap_endpoint: rdapEndpoint
        cached
        stale
        checked_at: checkedAt
        fresh_until: freshUntil
        ${problemSelection}
        raw
      }
    }`,
    parse(id) {
      const ref = parseObjectRef(type, id);
      return {
        variables: { id },
        readAnswer: (data) => answerOf((data as { object: ObjectRow }).object, ref),
        registryUrl: (directories) => registryUrl(ref, directories),
      };
    },
  };
}

function answerOf(row: ObjectRow, ref: ObjectRef): RdapAnswer {
  const { found, raw, problem, rdap_endpoint: endpoint } = row;
  if (found === null || (found && raw === null))
    throw failureOf(problem, lookupPath(ref), endpoint);
  const detail = `The registry has no object for ${lookupPath(ref)}.`;
  return {
    result: raw === null ? { problem: new Problem('not_found', detail) } : { object: raw },
    source: 'rdap',
    sourceUrl: endpoint === null ? null : endpoint + lookupPath(ref),
    age: ageOf(row, raw),
  };
}

async function registryUrl(ref: ObjectRef, { objects }: Directories): Promise<string | null> {
  const resolution = await objects.resolve(ref);
  if ('problem' in resolution) throw resolution.problem;
  const { server, isFree } = resolution;
  return isFree ? null : server.id + lookupPath(ref);
}
