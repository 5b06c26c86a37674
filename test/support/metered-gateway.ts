import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Balance, Plan } from '../../src/accounts/account.ts';
import { hashOf, generateKey } from '../../src/accounts/api-key.ts';
import type { AccountStore } from '../../src/accounts/store.ts';
import { systemClock } from '../../src/clock.ts';
import { openAccounts } from '../../src/storage/open.ts';
import { startFakeRegistry, type FakeRegistry } from './fake-registry.ts';
import { startGateway, type Gateway, type GatewayOptions, type Json } from './gateway.ts';
import { registered } from './replies.ts';
import { scratch } from './scratch.ts';

/** A gateway that lets nobody in without a key, the registry behind it, and an operator with the ledger open beside it. */
export interface MeteredGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  /** Serves `.example` and a hundred more, `.tld0` to `.tld99`. Every name is free until it is scripted. */
  readonly registry: FakeRegistry;
  /** Where the ledger is, and all other files of the gateway. */
  readonly folder: string;
  /** The operator's own view of the ledger: the file, not the gateway's memory. */
  readonly ledger: AccountStore;
  /** How many operations have credits set aside and are not settled. */
  openReservations(): number;
  newCustomer(plan?: Partial<Plan>): Promise<Customer>;
}

/** What somebody with a key can ask. */
export interface Caller {
  /** A request with the key in `X-API-Key`. */
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

export interface Customer extends Caller {
  readonly id: string;
  readonly key: string;
  /** What the ledger says. */
  balance(): Promise<Balance>;
}

export const tlds = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `tld${index}`);

/** Starts it with no limit of its own on requests and lookups, unless the test says otherwise. */
export async function startMeteredGateway({
  env = {},
  ...options
}: GatewayOptions = {}): Promise<MeteredGateway> {
  await using parts = new AsyncDisposableStack();
  const registry = parts.use(await startFakeRegistry());
  registry.on(/^nic\./, (request) => registered(request.name));
  const folder = parts.use(await scratch());
  const clock = options.clock ?? systemClock;
  const ledger = parts.adopt(
    await openAccounts(folder.storeUrl, { clock, freeCredits: 10_000 }),
    (store) => store.close(),
  );
  const registries = Object.fromEntries(
    ['example', ...tlds(100)].map((tld) => [tld, registry.baseUrl]),
  );
  const unlimited = { RATE_LIMIT: '0', RDAP_RATE: '0', RDAP_CONCURRENCY: '1000' };
  const settings = { AUTH: 'required', STORE_URL: folder.storeUrl, ...unlimited, ...env };
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

/** Whoever holds the key, at any gateway. */
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

/** What an answer says that it cost, in its headers. */
export function costIn({ headers }: Response): Json {
  const figure = (name: string) => {
    const value = headers.get(`x-credits-${name}`);
    return value === null ? null : Number(value);
  };
  return {
    requested: figure('requested'),
    charged: figure('charged'),
    refunded: figure('refunded'),
    remaining: figure('remaining'),
  };
}
