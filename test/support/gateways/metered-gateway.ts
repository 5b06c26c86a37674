import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Balance, Plan } from '../../../src/accounts/account.ts';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import type { AccountStore } from '../../../src/accounts/store.ts';
import { systemClock } from '../../../src/clock.ts';
import { startFakeRegistry, type FakeRegistry } from '../servers/fake-registry.ts';
import { startGateway, type Gateway, type GatewayOptions, type Json } from './gateway.ts';
import { openLedger } from '../stores/ledger.ts';
import { registered } from '../bodies/replies.ts';
import { scratch } from '../stores/scratch.ts';

/** A gateway that requires a key, with its registry and its ledger. */
export interface MeteredGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  /** Serves `.example`, `.us`, `.google` and `.tld0` to `.tld99`. Names without a script are unregistered. */
  readonly registry: FakeRegistry;
  /** The folder of the ledger and all other files of the gateway. */
  readonly folder: string;
  /** The ledger file, opened independently of the gateway. */
  readonly ledger: AccountStore;
  /** Returns the number of unsettled reservations. */
  openReservations(): number;
  newCustomer(plan?: Partial<Plan>): Promise<Customer>;
}

/** Sends requests with a key. */
export interface Caller {
  /** Sends a request with the key in `X-API-Key`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  post(
    path: string,
    body: unknown,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Response>;
  graphql(
    query: string,
    variables?: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<Response>;
}

/** An account with a key. */
export interface Customer extends Caller {
  readonly id: string;
  readonly key: string;
  /** Returns the balance in the ledger. */
  balance(): Promise<Balance>;
}

/** Settings for many lookups at once, which a busy machine answers in more than the default limits. */
export const longTimeouts = { RDAP_TIMEOUT_MS: '60000', QUEUE_TIMEOUT_MS: '60000' };

/** Returns the first TLDs of the registry. */
export const tlds = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `tld${index}`);

/**
 * Starts a gateway without limits on requests and lookups, unless the test sets them. `perDay`: the
 * daily limit of the registry.
 */
export async function startMeteredGateway({
  env = {},
  perDay,
  ...options
}: GatewayOptions & { readonly perDay?: number } = {}): Promise<MeteredGateway> {
  await using parts = new AsyncDisposableStack();
  const registry = parts.use(await startFakeRegistry());
  registry.on(/^nic\./, (request) => registered(request.name));
  const folder = parts.use(await scratch());
  const clock = options.clock ?? systemClock;
  const ledger = parts.adopt(openLedger(join(folder.path, 'gateway.db'), clock), (store) =>
    store.close(),
  );
  const registries = {
    ...Object.fromEntries(
      ['example', 'us', 'google', ...tlds(100)].map((tld) => [tld, registry.baseUrl]),
    ),
    ...options.registries,
  };
  const limits = { [new URL(registry.baseUrl).host]: { rate: 0, perDay } };
  const RDAP_LIMITS = join(folder.path, 'limits.json');
  if (perDay !== undefined) await writeFile(RDAP_LIMITS, JSON.stringify(limits));
  const unlimited = { RATE_LIMIT: '0', RDAP_RATE: '0', RDAP_CONCURRENCY: '1000' };
  const settings = {
    AUTH: 'required',
    STORE_URL: folder.storeUrl,
    ...unlimited,
    ...(perDay !== undefined && { RDAP_LIMITS }),
    ...env,
  };
  const gateway = parts.use(await startGateway({ ...options, registries, env: settings }));
  const running = parts.move();
  return {
    gateway,
    registry,
    folder: folder.path,
    ledger,
    openReservations: () => countReservations(join(folder.path, 'gateway.db')),
    async newCustomer(plan = {}) {
      const key = generateKey();
      const account = await ledger.create(
        { name: 'Customer', credits: null, origins: [], ...plan },
        hashOf(key),
      );
      return {
        ...callerWith(key, gateway.fetch),
        id: account.id,
        key,
        balance: () => ledger.balance(account.id),
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Returns a caller with a key, for any gateway. */
export function callerWith(key: string, send: Caller['fetch']): Caller {
  const fetch: Caller['fetch'] = (path, init = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has('x-api-key')) headers.set('x-api-key', key);
    return send(path, { ...init, headers });
  };
  const post: Caller['post'] = (path, body, headers = {}, signal) =>
    fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  return {
    fetch,
    post,
    graphql: (query, variables, headers) => post('/graphql', { query, variables }, headers),
  };
}

function countReservations(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const row = database.prepare('SELECT count(*) AS open FROM reservations WHERE amount > 0').get();
  database.close();
  return Number(row?.['open']);
}

/** Returns the cost in the headers of a response. */
export function costIn({ headers }: Response): Json {
  const readCredits = (name: string) => {
    const value = headers.get(`x-credits-${name}`);
    return value === null ? null : Number(value);
  };
  return {
    requested: readCredits('requested'),
    charged: readCredits('charged'),
    refunded: readCredits('refunded'),
    remaining: readCredits('remaining'),
  };
}
