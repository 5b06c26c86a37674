// graphql-sse: a row as soon as it is known, with no framework. What it returns closes the request.
import { createClient, NetworkError } from 'graphql-sse';

export interface Row {
  readonly domain: string;
  /** Null: nobody trustworthy said. */
  readonly available: boolean | null;
}

export interface Listener {
  show(row: Row): void;
  /** Told the code of the problem, such as `invalid_name` or `insufficient_credits`; without one, no gateway answered. */
  fail(code?: string): void;
}

export function search(
  url: string,
  variables: { name: string; tlds: string[] },
  { show, fail }: Listener,
  apiKey?: string,
): () => void {
  const client = createClient({
    url,
    retryAttempts: 0,
    headers: apiKey ? { 'x-api-key': apiKey } : {},
  });
  const query = `subscription ($name: String!, $tlds: [String!]!) { availability(name: $name, tlds: $tlds) { domain available } }`;
  return client.subscribe<{ availability: Row }>(
    { query, variables },
    {
      next: ({ data, errors = [] }) => (data ? show(data.availability) : fail(codeIn(errors))),
      error: async (error) => fail(codeIn(await errorsOf(error))),
      complete() {},
    },
  );
}

type Errors = readonly { readonly extensions?: Record<string, unknown> }[];

function codeIn([first]: Errors): string | undefined {
  return first?.extensions?.['code']?.toString();
}

/** What a refusal says, which graphql-sse leaves unread. */
async function errorsOf(error: unknown): Promise<Errors> {
  const response = error instanceof NetworkError && error.response;
  if (!(response instanceof Response)) return [];
  const { errors = [] } = await response.json().catch(() => ({}));
  return errors;
}
