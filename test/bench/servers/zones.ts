import { join } from 'node:path';
import { startChildProcess } from '../part.ts';

/** Authoritative servers of all zones in a separate process, with a latency of 10 to 30 ms. */
export interface Zones extends AsyncDisposable {
  /** In the form of `SOURCES_FILE`. */
  readonly servers: readonly string[];
  /** Returns the queries since the last call. */
  count(): Promise<number>;
}

/** The first message of the process. */
export interface ZonesReady {
  readonly servers: readonly string[];
}

/** Starts the servers. With `controls`, the DNS can also confirm what WHOIS servers answer. */
export async function startZones(content: 'controls' | 'searches' = 'searches'): Promise<Zones> {
  const childProcess = await startChildProcess<ZonesReady>(
    join(import.meta.dirname, 'zones-process.ts'),
    content,
  );
  return {
    servers: childProcess.ready.servers,
    count: () => childProcess.request('count'),
    [Symbol.asyncDispose]: () => childProcess[Symbol.asyncDispose](),
  };
}
