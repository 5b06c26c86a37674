import { startFakeDnsServer, type DnsAnswerOf, type FakeDnsServer } from './fake-dns-server.ts';

/** The servers of zones. */
export interface FakeZone extends AsyncDisposable, Pick<FakeDnsServer, 'queryCount'> {
  /** In the form of `SOURCES_FILE`. */
  readonly servers: readonly string[];
  /** Number of received queries. */
  readonly total: number;
}

/**
 * Starts two servers for every zone: the absence of a name counts only if both report it. By default,
 * the second one answers like the first.
 */
export async function startFakeZone(
  answerOf?: DnsAnswerOf,
  secondAnswerOf = answerOf,
): Promise<FakeZone> {
  const servers = await Promise.all([answerOf, secondAnswerOf].map(startServer));
  return {
    servers: servers.map(({ address, port }) => `${address}:${port}`),
    get total() {
      return servers.reduce((sum, { queries }) => sum + queries.length, 0);
    },
    queryCount: (name) => servers.reduce((sum, server) => sum + server.queryCount(name), 0),
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    },
  };
}

function startServer(answerOf: DnsAnswerOf | undefined): Promise<FakeDnsServer> {
  return startFakeDnsServer(answerOf);
}
