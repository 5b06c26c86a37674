import { createApp, type App, type AppOverrides } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { defaultTimeouts, type Timeouts } from '../../../src/server/send-response.ts';
import { createLog } from '../../../src/log.ts';
import { startDelegatingDns } from '../servers/delegating-dns.ts';
import { sourcesWithoutDns } from './gateway-process.ts';
import { writeBootstrap, bootstrapOf, type ObjectServers } from '../servers/fake-bootstrap.ts';

/** The real app on its own port, in this process. */
export interface Gateway extends AsyncDisposable {
  readonly url: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Returns the JSON of a GET response. */
  get(path: string): Promise<Json>;
  /** Returns the JSON of a GraphQL response. */
  graphql(query: string, variables?: Record<string, unknown>): Promise<Json>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
}

// Tests check the bodies that they read.
// oxlint-disable-next-line no-explicit-any
export type Json = any;

export interface GatewayOptions extends AppOverrides {
  /** Entries of the bootstrap document with their base URLs. */
  readonly registries?: Readonly<Record<string, string | readonly string[]>>;
  /** Servers of objects other than domains. */
  readonly objects?: ObjectServers;
  /**
   * Starts name servers that delegate the names that begin with one of these, as in a real
   * deployment. By default, no zone is queried.
   */
  readonly delegates?: readonly string[];
  /** Environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A stopping gateway gets no further requests in tests. */
const quickStop: Timeouts = { ...defaultTimeouts, drainTimeoutMs: 0, closeTimeoutMs: 10 };

/**
 * Starts a gateway with a memory store, without the DNS, with fast registries and a fast shutdown,
 * unless the test overrides this.
 */
export async function startGateway({
  registries = {},
  objects = {},
  delegates,
  env = {},
  ...overrides
}: GatewayOptions = {}): Promise<Gateway> {
  await using parts = new AsyncDisposableStack();
  // If the test needs no registries, the document has one entry that no test looks up; IANA's is
  // never used.
  const file = parts.use(
    await writeBootstrap(bootstrapOf({ unused: 'https://rdap.invalid/', ...registries }), objects),
  );
  const dns = delegates && parts.use(await startDelegatingDns(delegates));
  const defaults = {
    PORT: '0',
    STORE_URL: 'memory:',
    RDAP_BOOTSTRAP_URL: file.url,
    RDAP_ALLOW_PRIVATE: 'true',
    RDAP_RATE: '1000', // with the default, every second test would wait for a tenth of a second per request
    SOURCES_FILE: dns?.sourcesFile ?? sourcesWithoutDns,
    CT_SEARCH_URL: 'off',
    LOG_LEVEL: 'silent',
  };
  const app: App = parts.use(
    await createApp(readConfig({ ...defaults, ...env }), {
      log: createLog('silent'),
      timeouts: quickStop,
      ...overrides,
    }),
  );
  const fetchPath = (path: string, init?: RequestInit) => fetch(new URL(path, app.url), init);
  // Waits until the bootstrap document is loaded, unless a key is required.
  await fetchPath('/v1/status?domain=first.unused-tld', { headers: { connection: 'close' } });
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
