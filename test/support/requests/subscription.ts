import type { Gateway, Json } from '../gateways/gateway.ts';

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

async function* rowsOf({ body }: Response): AsyncGenerator<Json, void, void> {
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (text + chunk).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      if (event.startsWith('event: next'))
        yield JSON.parse(event.replace(/^[^{]*/, '')).data.availability;
    }
  }
}
