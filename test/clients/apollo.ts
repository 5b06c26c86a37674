// Apollo Client 4: `@defer` over multipart, subscriptions over server-sent events. A problem's code is in `error.errors[0].extensions.code`.
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, Observable } from '@apollo/client';
import { Defer20220824Handler } from '@apollo/client/incremental';
import { OperationTypeNode, print } from 'graphql';
import { createClient, NetworkError, type Sink } from 'graphql-sse';

export function apolloClient(url: string, apiKey?: string): ApolloClient {
  const headers = apiKey ? { 'x-api-key': apiKey } : {};
  return new ApolloClient({
    link: ApolloLink.split(isSubscription, eventsLink(url, headers), new HttpLink({ uri: url, headers })),
    cache: new InMemoryCache(),
    incrementalHandler: new Defer20220824Handler(),
  });
}

function isSubscription({ operationType }: ApolloLink.Operation): boolean {
  return operationType === OperationTypeNode.SUBSCRIPTION;
}

function eventsLink(url: string, headers: Record<string, string>): ApolloLink {
  const events = createClient({ url, headers, retryAttempts: 0 });
  return new ApolloLink(
    ({ query, variables }) =>
      new Observable((observer) => {
        // The two packages type the same plain errors in different words.
        const sink = observer as Sink;
        // What a refusal says, graphql-sse leaves unread: read, it is a result with errors, as from HttpLink.
        const error = async (reason: unknown) => {
          const response = reason instanceof NetworkError && reason.response;
          const said = response instanceof Response && (await response.json().catch(() => undefined));
          if (!said) return sink.error(reason);
          sink.next(said);
          sink.complete();
        };
        return events.subscribe(
          { query: print(query), variables },
          { next: (row) => sink.next(row), error, complete: () => sink.complete() },
        );
      }),
  );
}
