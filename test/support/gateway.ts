import { createApp, type App, type AppOverrides } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { defaultTimeouts } from '../../src/http/server/timeouts.ts';
import { createLog } from '../../src/log.ts';
import { writeBootstrap, bootstrapOf } from './fake-bootstrap.ts';

/** The real app on a port of its own, in this process. */
export interface Gateway extends AsyncDisposable {
  readonly url: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The JSON of a GET. */
  get(path: string): Promise<Json>;
  /** The JSON of a GraphQL operation. */
  graphql(query: string, variables?: Record<string, unknown>): Promise<Json>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
}

// What a test reads from a body it has to check anyway.
// oxlint-disable-next-line no-explicit-any
export type Json = any;

export interface GatewayOptions extends AppOverrides {
  /** Entries of the bootstrap, and the base URLs that serve them. */
  readonly registries?: Readonly<Record<string, string | readonly string[]>>;
  /** Environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A gateway that a test stops gets no further requests. */
const quickStop = { ...defaultTimeouts, lastRequestsTimeout: 0 };

/** Starts a gateway with a memory store and quick time limits, unless the test says otherwise. */
export async function startGateway({
  registries = {},
  env = {},
  ...replaced
}: GatewayOptions = {}): Promise<Gateway> {
  await using parts = new AsyncDisposableStack();
  // A list of one entry that no test looks up, where the test needs none: never IANA's.
  const file = parts.use(
    await writeBootstrap(bootstrapOf({ unasked: 'https://rdap.invalid/', ...registries })),
  );
  const defaults = {
    PORT: '0',
    STORE_URL: 'memory:',
    RDAP_BOOTSTRAP_URL: file.url,
    RDAP_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: 'silent',
  };
  const app: App = parts.use(
    await createApp(readConfig({ ...defaults, ...env }), {
      log: createLog('silent'),
      timeouts: quickStop,
      ...replaced,
    }),
  );
  const fetchPath = (path: string, init?: RequestInit) => fetch(new URL(path, app.url), init);
  // Waits for the list, unless a key is needed.
  await fetchPath('/v1/status?domain=first.unasked-tld', { headers: { connection: 'close' } });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetchPath(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const running = parts.move();
  return {
    url: app.url,
    fetch: fetchPath,
    get: async (path) => (await fetchPath(path)).json(),
    post,
    graphql: async (query, variables) => (await post('/graphql', { query, variables })).json(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
