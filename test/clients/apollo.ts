// Apollo Client 4: `@defer` and subscriptions, both over multipart.
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { Defer20220824Handler } from '@apollo/client/incremental';

/** Objects of these types have no ID. The cache merges the fields that different queries select. */
const typesWithoutId = [
  'Contact',
  'Dnssec',
  'Evidence',
  'LookupProblem',
  'PostalAddress',
  'Registrar',
  'RegistryHealth',
];

export function apolloClient(url: string, apiKey?: string): ApolloClient {
  return new ApolloClient({
    link: new HttpLink({ uri: url, headers: apiKey ? { 'x-api-key': apiKey } : {} }),
    cache: new InMemoryCache({
      typePolicies: Object.fromEntries(typesWithoutId.map((type) => [type, { merge: true }])),
    }),
    incrementalHandler: new Defer20220824Handler(),
  });
}
