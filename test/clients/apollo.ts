// Apollo Client 4: `@defer` and subscriptions, both over multipart. A problem's code is in `error.errors[0].extensions.code`.
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { Defer20220824Handler } from '@apollo/client/incremental';

export function apolloClient(url: string, apiKey?: string): ApolloClient {
  return new ApolloClient({
    link: new HttpLink({ uri: url, headers: apiKey ? { 'x-api-key': apiKey } : {} }),
    cache: new InMemoryCache(),
    incrementalHandler: new Defer20220824Handler(),
  });
}
