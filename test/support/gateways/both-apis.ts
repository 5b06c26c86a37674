import { expect } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../servers/fake-registry.ts';
import { startGateway, type Gateway } from './gateway.ts';
import { registered, type Script } from '../bodies/replies.ts';

/** A gateway with two registries. */
export interface BothApis extends AsyncDisposable {
  /** Serves the TLD `registry`. */
  readonly registry: FakeRegistry;
  /** Serves the TLD `other`. Redirects may lead to it, as the bootstrap document contains it. */
  readonly other: FakeRegistry;
  readonly gateway: Gateway;
  /** Expects this verdict from both APIs, each of which looks up `example.registry` again. */
  expectVerdict(script: Script, verdict: ExpectedVerdict): Promise<void>;
}

export interface ExpectedVerdict {
  readonly status: string;
  readonly available: boolean | null;
  readonly reason: string | null;
}

export const name = 'example.registry';

export async function openBothApis(env: Readonly<Record<string, string>> = {}): Promise<BothApis> {
  const registry = await startFakeRegistry();
  registry.on(/^nic\./, (request) => registered(request.name));
  const other = await startFakeRegistry();
  const gateway = await startGateway({
    registries: { registry: registry.baseUrl, other: other.baseUrl },
    env,
  });
  return {
    registry,
    other,
    gateway,
    async expectVerdict(script, verdict) {
      registry.on(name, script);
      const { data } = await gateway.graphql(
        `{ domain(name: "${name}", maxAge: 0) { status available reason } }`,
      );
      expect(data.domain).toEqual(verdict);
      const [row] = (await gateway.get(`/v1/status?domain=${name}&max_age=0`)).results;
      expect({
        status: row.status.toUpperCase(),
        available: row.available,
        reason: row.reason ?? null,
      }).toEqual(verdict);
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await Promise.all([registry.close(), other.close()]);
    },
  };
}
