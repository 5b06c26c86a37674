import { writeBootstrap } from './fake-bootstrap.ts';
import type { DnsAnswerOf } from './fake-dns-server.ts';
import { startFakeZone } from './fake-zone.ts';

/** The name servers of all zones. */
export interface DelegatingDns extends AsyncDisposable {
  /** The path of the `SOURCES_FILE` of a gateway that queries only these servers. */
  readonly sourcesFile: string;
}

/** The names that zones are checked with are registered. A random label may begin with them. */
const controlNames = ['google.', 'nic.'];

/** Starts name servers that delegate the names that begin with one of these, in every zone. */
export async function startDelegatingDns(prefixes: readonly string[]): Promise<DelegatingDns> {
  await using parts = new AsyncDisposableStack();
  const delegated = [...controlNames, ...prefixes];
  const answerOf: DnsAnswerOf = (name) =>
    delegated.some((prefix) => name.startsWith(prefix)) ? 'delegated' : 'nxdomain';
  const { servers } = parts.use(await startFakeZone(answerOf));
  const file = parts.use(await writeBootstrap({ suffixes: { '': { dns: servers, whois: null } } }));
  const running = parts.move();
  return { sourcesFile: file.path, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
