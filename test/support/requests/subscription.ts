import type { Gateway, Json } from '../gateways/gateway.ts';
import { eventsOf } from './streams.ts';

/** A subscription to `availability`. */
export interface SearchStream extends AsyncDisposable {
  /**
   * Returns the next `count` rows as soon as they have arrived; fewer if the stream ends before.
   */
  take(count: number): Promise<Json[]>;
  /** Returns all remaining rows. */
  rest(): Promise<Json[]>;
  /** Closes the connection, like a browser whose page is closed. */
  close(): void;
}

/** Subscribes to `availability` with server-sent events. */
export async function subscribe(
  gateway: Gateway,
  args: string,
  fields = 'domain status available reason',
): Promise<SearchStream> {
  const client = new AbortController();
  const response = await gateway.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: `subscription { availability(${args}) { ${fields} } }` }),
    signal: client.signal,
  });
  const rows = rowsOf(response);
  async function take(count: number): Promise<Json[]> {
    const taken: Json[] = [];
    while (taken.length < count) {
      const { done, value } = await rows.next();
      if (done) break;
      taken.push(value);
    }
    return taken;
  }
  const close = () => client.abort();
  return { take, rest: () => take(Infinity), close, [Symbol.asyncDispose]: async () => close() };
}

async function* rowsOf(response: Response): AsyncGenerator<Json, void, void> {
  for await (const { event, data } of eventsOf(response))
    if (event === 'next') yield data.data.availability;
}
