import { join } from 'node:path';
import type { Clock } from '../../src/clock.ts';
import { openSqlFile } from '../../src/storage/sqlite/sql-file.ts';
import { ChangeLog } from '../../src/watches/change-log.ts';
import type { ChangeType, Difference } from '../../src/watches/observation.ts';
import { fastClock } from '../support/time/fast-clock.ts';
import type { Caller, MeteredGateway } from '../support/gateways/metered-gateway.ts';
import type { GatewayOptions, Json } from '../support/gateways/gateway.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { eventsOf } from '../support/requests/streams.ts';

/** A metered gateway, to whose log of changes a test appends. */
export interface Watching extends MeteredGateway {
  change(name: string, type: ChangeType): Promise<void>;
  /** Reads the events of a stream: a POST with a body, or a GET. */
  events(caller: Caller, path: string, body?: object, headers?: object): Promise<Events>;
}

interface Events {
  /** Returns the data of the next event; undefined at the end. */
  next(): Promise<Json>;
  close(): Promise<void>;
}

const ignore = () => undefined;

/** Limits of lookups, which a busy machine would exceed: on the fast clock, 5 seconds pass in 0.25. */
const patient = { QUEUE_TIMEOUT_MS: '3600000', RDAP_TIMEOUT_MS: '3600000' };

/** Starts a gateway whose clock runs fast: changes of others are found once a second. */
export async function startWatching(options: GatewayOptions = {}): Promise<Watching> {
  const { clock = fastClock() } = options;
  const env = { ...patient, ...options.env };
  const metered = await startMeteredGateway({ ...options, clock, env });
  const written = await openWrittenLog(metered.folder, clock);
  return {
    ...metered,
    change: written.change,
    async events(caller, path, body, headers = {}) {
      const client = new AbortController();
      const response = await caller.fetch(path, {
        headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        signal: client.signal,
      });
      const events = dataOf(response);
      return { next: async () => (await events.next()).value, close: async () => client.abort() };
    },
    async [Symbol.asyncDispose]() {
      await metered[Symbol.asyncDispose]();
      await written[Symbol.asyncDispose]();
    },
  };
}

/** Opens the log of changes in the folder of a store, also while gateways use it. */
export async function openWrittenLog(
  folder: string,
  clock: Clock,
): Promise<Pick<Watching, 'change'> & AsyncDisposable> {
  const database = await openSqlFile(join(folder, 'gateway-watches.db'));
  const log = new ChangeLog(database, clock, { appended: ignore, announced: ignore });
  return {
    change: (name, type) =>
      database.transaction((query) => log.append(query, name, [differenceAt(clock.now(), type)])),
    [Symbol.asyncDispose]: async () => database.close(),
  };
}

async function* dataOf(response: Response): AsyncGenerator<Json, void, void> {
  for await (const { data } of eventsOf(response)) if (data) yield data;
}

function differenceAt(now: number, type: ChangeType): Difference {
  const standing = { verdict: 'REGISTERED', phase: 'ACTIVE' } as const;
  return {
    type,
    notBefore: now - 60_000,
    seenAt: now,
    before: { ...standing, registrar: { name: 'Old' }, expiresAt: '2027-01-01T00:00:00Z' },
    after: { ...standing, registrar: { name: 'New' }, expiresAt: '2028-01-01T00:00:00Z' },
    evidence: null,
  };
}
