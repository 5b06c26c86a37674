// graphql-sse: a row as soon as it is known, with no framework. What it returns closes the request.
import { createClient } from 'graphql-sse';

export interface Row {
  readonly domain: string;
  /** Null: nobody trustworthy said. */
  readonly available: boolean | null;
}

export function search(url: string, variables: { name: string; tlds: string[] }, show: (row: Row) => void): () => void {
  const client = createClient({ url, retryAttempts: 0 });
  const query = `subscription ($name: String!, $tlds: [String!]!) { availability(name: $name, tlds: $tlds) { domain available } }`;
  return client.subscribe<{ availability: Row }>(
    { query, variables },
    { next: ({ data, errors }) => (data ? show(data.availability) : console.error(errors)), error: console.error, complete() {} },
  );
}
