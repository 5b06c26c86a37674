// urql: `@defer` and subscriptions, both over fetch. A problem's code is in `error.graphQLErrors[0].extensions.code`.
import { cacheExchange, Client, fetchExchange } from '@urql/core';

export function urqlClient(url: string, apiKey?: string): Client {
  return new Client({
    url,
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: false,
    fetchSubscriptions: true,
    fetchOptions: { headers: apiKey ? { 'x-api-key': apiKey } : {} },
  });
}
