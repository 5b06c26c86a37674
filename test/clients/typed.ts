// The type of a result, including deferred fields, is inferred from the text of the query.
import { initGraphQLTada, type ResultOf } from 'gql.tada';
import type { introspection } from './introspection.ts';

export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTime: string; JSON: unknown };
}>();

export const searchQuery = graphql(`
  query Search($name: String!, $tlds: [String!]!) {
    domains(name: $name, tlds: $tlds) {
      domain
      ... @defer {
        status
        available
        rdap {
          expiresAt
          registrar {
            name
          }
        }
      }
    }
  }
`);

export const searchSubscription = graphql(`
  subscription SearchStream($name: String!, $tlds: [String!]!) {
    availability(name: $name, tlds: $tlds) {
      domain
      available
    }
  }
`);

type Row = NonNullable<ResultOf<typeof searchQuery>['domains']>[number];

/** Describes a row for a search box. The compiler enforces the check for missing deferred fields. */
export function describeRow(row: Row): string {
  if (!('status' in row)) return `${row.domain}: loading`;
  if (row.available === null) return `${row.domain}: unknown`;
  if (row.available) return `${row.domain}: available`;
  const registrar = row.rdap?.registrar?.name ?? 'an unknown registrar';
  return `${row.domain}: registered with ${registrar} until ${row.rdap?.expiresAt?.slice(0, 10) ?? 'an unknown date'}`;
}
