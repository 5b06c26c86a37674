// graphql-sse: a row as soon as it is known, with no framework. `return()` on the iterator, or leaving its loop, closes the request.
import { createClient } from 'graphql-sse';

export async function* search(url: string, name: string, tlds: readonly string[]): AsyncGenerator<Row, void, void> {
  const client = createClient({ url, retryAttempts: 0 });
  const query = `subscription ($name: String!, $tlds: [String!]!) { availability(name: $name, tlds: $tlds) { domain available } }`;
  for await (const { data, errors } of client.iterate<{ availability: Row }>({ query, variables: { name, tlds } })) {
    if (data) yield data.availability;
    else throw new Error(errors?.[0]?.message);
  }
}

export interface Row {
  readonly domain: string;
  /** Null: nobody trustworthy said. */
  readonly available: boolean | null;
}
