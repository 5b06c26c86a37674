// Input of relay-compiler. The program imports the generated code instead.
import { graphql } from 'relay-runtime';

export const row = graphql`
  fragment queriesRow_domain on Domain @refetchable(queryName: "queriesRowRefetchQuery") {
    id
    domain
    status
    available
    problem {
      code
      retryable
    }
    rdap {
      id
      handle
    }
  }
`;

export const search = graphql`
  query queriesSearchQuery($domains: [String!]!) {
    domains(domains: $domains) {
      id
      ...queriesRow_domain
    }
    node(id: "tld:com") {
      id
      ... on Tld {
        label
      }
    }
  }
`;

export const tlds = graphql`
  fragment queriesTlds_query on Query
  @argumentDefinitions(count: { type: "Int", defaultValue: 3 }, cursor: { type: "String" })
  @refetchable(queryName: "queriesTldsPaginationQuery") {
    tlds(set: "@test", first: $count, after: $cursor) @connection(key: "queriesTlds_tlds") {
      edges {
        node {
          id
          label
        }
      }
    }
  }
`;

export const catalogue = graphql`
  query queriesCatalogueQuery {
    ...queriesTlds_query
  }
`;
