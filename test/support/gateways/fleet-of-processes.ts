import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import type { AccountStore } from '../../../src/accounts/store.ts';
import { systemClock } from '../../../src/clock.ts';
import { openAccounts } from '../../../src/storage/open.ts';
import { startBalancer, type Balancer } from './balancer.ts';
import { bootstrapOf, writeBootstrap } from '../servers/fake-bootstrap.ts';
import { startProcess, type GatewayProcess } from './gateway-process.ts';
import { startPostgres } from '../stores/postgres.ts';

/** A cluster of gateway processes on one PostgreSQL, behind a load balancer. */
export interface Fleet extends AsyncDisposable {
  readonly balancer: Balancer;
  readonly storeUrl: string;
  readonly ledger: AccountStore;
  readonly nodes: readonly FleetNode[];
  newKey(): Promise<{ readonly id: string; readonly key: string }>;
}

/** A gateway process of the cluster. */
export interface FleetNode {
  readonly url: string;
  readonly running: boolean;
  readonly pid: number;
  /** Time of the last kill, by `performance.now()`. */
  readonly killedAt: number | undefined;
  /** Kills it with SIGKILL and restarts it on the same port. Resolves when it serves requests. */
  kill(): Promise<void>;
  /** Restarts it with SIGTERM. Rejects if it did not exit with code 0. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

export interface FleetOptions {
  readonly nodes: number;
  /** Base URLs of registries by TLD. */
  readonly registries: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a PostgreSQL, the nodes and a load balancer. */
export async function startFleetOfProcesses({
  nodes: count,
  registries,
  env = {},
}: FleetOptions): Promise<Fleet> {
  await using parts = new AsyncDisposableStack();
  const postgres = parts.use(await startPostgres());
  const storeUrl = await postgres.database();
  const bootstrap = parts.use(await writeBootstrap(bootstrapOf(registries)));
  const settings = {
    AUTH: 'required',
    STORE_URL: storeUrl,
    RDAP_BOOTSTRAP_URL: bootstrap.url,
    RDAP_ALLOW_PRIVATE: 'true',
    RATE_LIMIT: '0',
    RDAP_RATE: '0',
    RDAP_CONCURRENCY: '100',
    ...env,
  };
  const ledger = parts.adopt(
    await openAccounts(storeUrl, { clock: systemClock, freeCredits: 0 }),
    (store) => store.close(),
  );
  const balancer = parts.use(await startBalancer());
  const nodes = await Promise.all(Array.from({ length: count }, () => startNode(settings)));
  for (const node of nodes) {
    parts.defer(() => node.end());
    balancer.add(node.url);
  }
  const running = parts.move();
  return {
    balancer,
    storeUrl,
    ledger,
    nodes,
    async newKey() {
      const key = generateKey();
      const { id } = await ledger.create(
        { name: 'Customer', credits: 1e12, origins: [] },
        hashOf(key),
      );
      return { id, key };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function startNode(settings: Readonly<Record<string, string>>): Promise<FleetNode> {
  let port = '0';
  let node: GatewayProcess;
  let url = '';
  let running = false;
  let killedAt: number | undefined;

  async function start(): Promise<void> {
    node = startProcess({ ...settings, PORT: port });
    ({ url } = await node.logged('listening'));
    ({ port } = new URL(url));
    running = true;
  }
  async function end(signal: NodeJS.Signals) {
    running = false;
    node.kill(signal);
    return node.ended;
  }

  await start();
  return {
    get url() {
      return url;
    },
    get running() {
      return running;
    },
    get pid() {
      return node.pid;
    },
    get killedAt() {
      return killedAt;
    },
    async kill() {
      killedAt = performance.now();
      await end('SIGKILL');
      await start();
    },
    async restart() {
      const { code, stdout, stderr } = await end('SIGTERM');
      if (code !== 0)
        throw new Error(`A node exited with code ${code}: ${stderr} ${stdout.slice(-2000)}`);
      await start();
    },
    end: async () => void (await end('SIGKILL')),
  };
}
