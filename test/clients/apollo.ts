// Apollo Client 4: `@defer` over multipart, subscriptions over server-sent events.
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, Observable } from '@apollo/client';
import { Defer20220824Handler } from '@apollo/client/incremental';
import { OperationTypeNode, print } from 'graphql';
import { createClient, type Sink } from 'graphql-sse';

export function apolloClient(url: string): ApolloClient {
  return new ApolloClient({
    link: ApolloLink.split(isSubscription, eventsLink(url), new HttpLink({ uri: url })),
    cache: new InMemoryCache(),
    incrementalHandler: new Defer20220824Handler(),
  });
}

function isSubscription({ operationType }: ApolloLink.Operation): boolean {
  return operationType === OperationTypeNode.SUBSCRIPTION;
}

function eventsLink(url: string): ApolloLink {
  const events = createClient({ url, retryAttempts: 0 });
  return new ApolloLink(
    ({ query, variables }) =>
      // The two packages type the same plain errors in different words.
      new Observable((observer) => events.subscribe({ query: print(query), variables }, observer as Sink)),
  );
}
