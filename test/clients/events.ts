// graphql-sse, without a framework: each row as soon as it is resolved.
import { createClient, NetworkError } from 'graphql-sse';

export interface Row {
  readonly domain: string;
  /** Null if there is no trustworthy answer. */
  readonly available: boolean | null;
}

export interface Listener {
  show(row: Row): void;
  /** Receives the problem code, such as `invalid_name`, or undefined if there was no response. */
  fail(code?: string): void;
}

/** Starts a search. The function that it returns cancels the request. */
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

/** Reads the errors from the body of a rejected request, which graphql-sse does not parse. */
async function errorsOf(error: unknown): Promise<Errors> {
  const response = error instanceof NetworkError && error.response;
  if (!(response instanceof Response)) return [];
  const { errors = [] } = await response.json().catch(() => ({}));
  return errors;
}
