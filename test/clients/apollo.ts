// Apollo Client 4: `@defer` and subscriptions, both over multipart.
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { Defer20220824Handler } from '@apollo/client/incremental';

/** Types without an ID. The cache merges the fields that two queries select of such an object. */
const parts = [
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
      typePolicies: Object.fromEntries(parts.map((type) => [type, { merge: true }])),
    }),
    incrementalHandler: new Defer20220824Handler(),
  });
}
