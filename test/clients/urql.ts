// urql: `@defer` and subscriptions, both over fetch.
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
