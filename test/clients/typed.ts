// What a query returns, `@defer` included, as types that the compiler works out from the text of the query.
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
  subscription AsKnown($name: String!, $tlds: [String!]!) {
    availability(name: $name, tlds: $tlds) {
      domain
      available
    }
  }
`);

type Row = NonNullable<ResultOf<typeof searchQuery>['domains']>[number];

/** What a search box may say of a row: the compiler knows that the deferred part may not be there yet. */
export function describeRow(row: Row): string {
  if (!('status' in row)) return `${row.domain}: asking`;
  if (row.available === null) return `${row.domain}: nobody knows`;
  if (row.available) return `${row.domain}: no registration found`;
  return `${row.domain}: with ${row.rdap?.registrar?.name ?? 'somebody'} until ${row.rdap?.expiresAt?.slice(0, 10) ?? 'some day'}`;
}
