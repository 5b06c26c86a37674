import type { Balance, Plan } from '../../../src/accounts/account.ts';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import type { AccountStore } from '../../../src/accounts/store.ts';
import { systemClock } from '../../../src/clock.ts';
import { openAccounts } from '../../../src/storage/open.ts';
import { startFakeRegistry, type FakeRegistry } from '../servers/fake-registry.ts';
import { startFleet } from './fleet.ts';
import type { Gateway, GatewayOptions } from './gateway.ts';
import { callerWith, type Caller } from './metered-gateway.ts';
import type { Databases } from '../stores/postgres.ts';
import { registered } from '../bodies/replies.ts';

/** Gateways that require a key and share one database, with their registry and the ledger. */
export interface MeteredFleet extends AsyncDisposable {
  readonly nodes: readonly Gateway[];
  /** Serves `.example`. Names without a script are unregistered. */
  readonly registry: FakeRegistry;
  readonly storeUrl: string;
  readonly ledger: AccountStore;
  newCustomer(plan?: Partial<Plan>): Promise<FleetCustomer>;
}

/** An account with a key. */
export interface FleetCustomer {
  readonly id: string;
  readonly key: string;
  /** Sends requests to one of the nodes. */
  at(node: number): Caller;
  /** Returns the balance in the ledger. */
  balance(): Promise<Balance>;
}

/** Starts `count` gateways on a new database. */
export async function startMeteredFleet(
  postgres: Databases,
  count: number,
  options: GatewayOptions = {},
): Promise<MeteredFleet> {
  await using parts = new AsyncDisposableStack();
  const registry = parts.use(await startFakeRegistry());
  registry.on(/^nic\./, ({ name }) => registered(name));
  const env = { AUTH: 'required', RDAP_CONCURRENCY: '1000', ...options.env };
  const { nodes, storeUrl } = parts.use(
    await startFleet(postgres, count, {
      ...options,
      registries: { example: registry.baseUrl },
      env,
    }),
  );
  const clock = options.clock ?? systemClock;
  const ledger = parts.adopt(
    await openAccounts(storeUrl, { clock, freeCredits: 10_000 }),
    (store) => store.close(),
  );
  const running = parts.move();
  return {
    nodes,
    registry,
    storeUrl,
    ledger,
    async newCustomer(plan = {}) {
      const key = generateKey();
      const { id } = await ledger.create(
        { name: 'Customer', credits: null, origins: [], ...plan },
        hashOf(key),
      );
      const at = (node: number) =>
        callerWith(key, (path, init) => fetch(new URL(path, nodes[node]?.url), init));
      return { id, key, at, balance: () => ledger.balance(id) };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
