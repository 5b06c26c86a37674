import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/domain/problems.ts';
import type { HttpClient, RequestFailure, RegistryResponse } from '../../../src/outbound/client.ts';
import { BootstrapLoader } from '../../../src/registries/directory/bootstrap-parser.ts';
import { MemoryAnswers } from '../../../src/storage/memory/answers.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import {
  bootstrapOf,
  startBootstrap,
  writeBootstrap,
} from '../../support/servers/fake-bootstrap.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { hang } from '../../support/bodies/hostile-replies.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';
import { notFound, registered, status } from '../../support/bodies/replies.ts';

const statusOf = async (gateway: Gateway, domain: string) =>
  (await gateway.get(`/v1/status?domain=${domain}`)).results[0].status;

const networkReachable = async (gateway: Gateway) =>
  (await gateway.graphql('{ tlds(first: 0) { networkReachable } }')).data.tlds.networkReachable;

describe('networkReachable', () => {
  it('is false while the bootstrap server is unreachable and no registry has answered', async () => {
    await using registry = await startFakeRegistry();
    await using overrides = await writeBootstrap(bootstrapOf({ com: registry.baseUrl }));
    await using gateway = await startGateway({
      env: { RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json', RDAP_OVERRIDES: overrides.path },
    });
    expect(await networkReachable(gateway)).toBe(false);
    // Neither the sandbox nor a failed lookup shows that the network is reachable.
    registry.on('failing.com', status(500));
    expect(await statusOf(gateway, 'taken.test')).toBe('registered');
    expect(await statusOf(gateway, 'failing.com')).toBe('unknown');
    expect(await networkReachable(gateway)).toBe(false);
    registry.on('taken.com', ({ name }) => registered(name));
    expect(await statusOf(gateway, 'taken.com')).toBe('registered');
    expect(await networkReachable(gateway)).toBe(true);
  });

  it('is true if the bootstrap server answers with an error', async () => {
    await using bootstrap = await startBootstrap(bootstrapOf({}));
    bootstrap.answer(status(500));
    await using gateway = await startGateway({
      env: { RDAP_BOOTSTRAP_URL: bootstrap.documentUrl },
    });
    expect(await networkReachable(gateway)).toBe(true);
  });
});

describe('the bootstrap document', () => {
  it('is the built-in table while its server is unreachable', async () => {
    await using registry = await startFakeRegistry();
    await using overrides = await writeBootstrap({
      ...bootstrapOf({ com: registry.baseUrl }),
      trust404: ['com'],
    });
    await using gateway = await startGateway({
      env: { RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json', RDAP_OVERRIDES: overrides.path },
    });
    expect(await statusOf(gateway, 'free.com')).toBe('available');
    expect(await statusOf(gateway, 'free.no-such-tld')).toBe('unsupported_tld');
    expect(await statusOf(gateway, 'gov.uk')).toBe('invalid');
  });

  it('does not delay requests while its server hangs', async () => {
    await using bootstrap = await startBootstrap(bootstrapOf({}));
    bootstrap.answer(hang());
    await using gateway = await startGateway({
      env: { RDAP_BOOTSTRAP_URL: bootstrap.documentUrl },
    });
    expect(await statusOf(gateway, 'taken.test')).toBe('registered');
  });
});

describe('overrides', () => {
  it('take precedence over the bootstrap document, and their "not found" is proof only for trusted entries', async () => {
    await using listed = await startFakeRegistry();
    await using own = await startFakeRegistry();
    for (const registry of [listed, own])
      registry.on(/^(?:nic|taken)\./, ({ name }) => registered(name));
    own.fallback(notFound());
    await using file = await writeBootstrap({
      ...bootstrapOf({ mine: own.baseUrl, trusted: own.baseUrl }),
      trust404: ['trusted'],
    });
    await using gateway = await startGateway({
      registries: { mine: listed.baseUrl, theirs: listed.baseUrl },
      env: { RDAP_OVERRIDES: file.path },
    });
    const rows = (
      await gateway.get('/v1/status?domain=taken.mine,free.mine,free.trusted,free.theirs')
    ).results;
    expect(
      rows.map(({ status: verdict, reason }: { status: string; reason?: string }) => [
        verdict,
        reason,
      ]),
    ).toEqual([
      ['registered', undefined],
      ['unknown', 'untrusted_answer'],
      ['available', undefined],
      ['available', undefined],
    ]);
    expect(listed.requestCount('taken.mine')).toBe(0);
  });
});

describe('a stopped bootstrap loader', () => {
  const answers: readonly (readonly [what: string, outcome: RegistryResponse | RequestFailure])[] =
    [
      [
        'succeeds',
        {
          status: 200,
          mediaType: 'application/json',
          body: Buffer.from(JSON.stringify(bootstrapOf({ com: 'https://rdap.example/' }))),
          url: new URL('https://list.example/dns.json'),
          header: () => undefined,
          isDelimited: true,
          retryAfter: undefined,
          ageSeconds: 0,
          heldSeconds: 0,
        },
      ],
      ['fails', { problem: new Problem('registry_error', 'connection reset'), failure: 'down' }],
    ];

  it.each(answers)(
    'stores nothing, logs nothing and sets no timer if its request %s',
    async (_, outcome) => {
      const clock = manualClock();
      const { log, lines } = memoryLog();
      const store = new MemoryAnswers();
      const requested = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<RegistryResponse | RequestFailure>();
      const client: HttpClient = { get: () => (requested.resolve(), answered.promise) };
      const bootstrap = new BootstrapLoader({
        url: 'https://list.example/dns.json',
        client,
        store,
        clock,
        log,
      });
      await requested.promise;
      bootstrap.stop();
      answered.resolve(outcome);
      await bootstrap.settled;
      expect([lines, clock.pending, (await store.read('')).size]).toEqual([[], 0, 0]);
    },
  );
});
