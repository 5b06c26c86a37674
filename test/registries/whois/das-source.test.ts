import { registeredNames } from '../../../src/registries/proof/canary-names.ts';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { parseDomainName, splitName } from '../../../src/domain/names/domain-name.ts';
import type { AttemptRequest } from '../../../src/domain/source.ts';
import type { Resolve } from '../../../src/outbound/public-address.ts';
import {
  dasServiceOf,
  dasTlds,
  type DasService,
} from '../../../src/registries/whois/das-services.ts';
import { dasSource } from '../../../src/registries/whois/das-source.ts';
import type { TcpOptions } from '../../../src/registries/whois/tcp-source.ts';
import { dasReplies } from '../../support/bodies/das-replies.ts';
import { startFakeDas } from '../../support/servers/fake-das-server.ts';
import { frozenClock } from '../../support/time/frozen-clock.ts';
import { manualClock } from '../../support/time/manual-clock.ts';

const options: TcpOptions = { clock: systemClock, timeoutMs: 5000, allowPrivate: true };
const request: AttemptRequest = {
  signal: new AbortController().signal,
  queueDeadline: Infinity,
  account: 'alice',
  priority: 'single',
};
const queryOf = (name: string) =>
  ({ name: splitName(parseDomainName(name)), detail: 'verdict' }) as const;

function serviceOf(tld: string): DasService {
  const service = dasServiceOf(tld);
  if (!service) throw new Error(`.${tld} has no availability service`);
  return service;
}

describe('a query to an availability service', () => {
  it.each([
    ['Name.eu', ['get 1.0 name\r\n', 'get 2.0 name\r\n', 'name.eu\n']],
    ['name.be', ['name.be\r\n']],
    ['bücher.ch', ['xn--bcher-kva.ch\r\n']],
    ['name.li', ['name.li\r\n']],
    ['name.lt', ['get 1.0 name.lt\n']],
  ])('about %s has the documented forms', async (name, expected) => {
    await using server = await startFakeDas(() => '');
    const service = serviceOf(name.slice(-2));
    for (const form of service.forms)
      await dasSource(service, server, form, options).lookup(queryOf(name), request);
    expect(server.queries).toEqual(expected);
    expect(server.connections).toBe(expected.length);
  });

  it('returns when and where the verdict was obtained', async () => {
    const clock = frozenClock();
    await using server = await startFakeDas(() => {
      clock.advance(40);
      return dasReplies.lt('name.lt', 'available');
    });
    const service = serviceOf('lt');
    const source = dasSource(service, server, service.forms[0], { ...options, clock });
    const sentAt = clock.now();
    expect(await source.lookup(queryOf('name.lt'), request)).toEqual({
      data: { verdict: 'AVAILABLE' },
      provenance: {
        endpoint: `das://127.0.0.1:${server.port}/`,
        sentAt,
        checkedAt: sentAt + 40,
        evidence: { unproven: false },
        attempts: [{ source: 'das', phase: 'exchange', ms: 40, code: 'available' }],
        cached: false,
        stale: false,
        replyForm: expect.stringMatching(/^[\w-]{16}$/),
      },
    });
  });

  it.each([
    ['5 seconds', {}, 5000],
    ['the deadline of the request', { responseDeadline: 1200 }, 1200],
  ])(
    'is given up after %s',
    async (_limit, { responseDeadline }: { responseDeadline?: number }, ms) => {
      const clock = manualClock(0);
      await using server = await startFakeDas(() => undefined);
      const service = serviceOf('be');
      const source = dasSource(service, server, service.forms[0], {
        ...options,
        timeoutMs: 60_000,
        clock,
      });
      const answer = source.lookup(queryOf('name.be'), {
        ...request,
        ...(responseDeadline !== undefined && { responseDeadline }),
      });
      await server.whenQueried(1);
      clock.advance(ms - 1);
      expect(clock.pending).toBe(1);
      clock.advance(1);
      const { problem, provenance } = await answer;
      expect(problem?.code).toBe('registry_timeout');
      expect(provenance).toMatchObject({ failure: 'timeout', attempts: [{ ms }] });
    },
  );

  it.each([
    ['after the last line', dasReplies.lt('name.lt', 'available')],
    ['after 4 KiB', '%'.repeat(5000)],
  ])('closes the connection %s', async (_when, reply) => {
    const clock = manualClock();
    const closed = Promise.withResolvers<void>();
    await using server = await startFakeDas((_query, socket) => {
      socket.on('close', () => closed.resolve()).write(reply);
      return undefined;
    });
    const service = serviceOf('lt');
    const source = dasSource(service, server, service.forms[0], { ...options, clock });
    await source.lookup(queryOf('name.lt'), request);
    await closed.promise;
    expect(clock.pending).toBe(0);
  });

  it('does not wait longer for the addresses of the server', async () => {
    const clock = manualClock();
    const service = serviceOf('eu');
    const source = dasSource(service, undefined, service.forms[0], {
      ...options,
      clock,
      resolve: neverResolve,
    });
    const answer = source.lookup(queryOf('name.eu'), request);
    clock.advance(5000);
    expect((await answer).problem?.code).toBe('registry_timeout');
  });
});

describe('the address of an availability service', () => {
  const forbidden = { outcome: 'registry_error', failure: undefined, connections: 0 };

  it.each([
    ['a private address', '127.0.0.1', [], false],
    ['a name with a private address', 'das.test', ['127.0.0.1'], false],
    ['a name with a public and a private address', 'das.test', ['9.9.9.9', '127.0.0.1'], false],
    ['a name without an address', 'das.test', [], false],
    ["the registry's own name with a private address", undefined, ['127.0.0.1'], true],
  ])('is not connected to if it is %s', async (_what, host, addresses, allowPrivate) => {
    expect(await connect(host, addresses, allowPrivate)).toEqual(forbidden);
  });

  it.each([
    ['127.0.0.1', []],
    ['das.test', ['127.0.0.1']],
  ])('may be private if the operator allows it: %s', async (host, addresses) => {
    expect(await connect(host, addresses, true)).toEqual({
      outcome: 'AVAILABLE',
      failure: undefined,
      connections: 1,
    });
  });
});

describe('the table of availability services', () => {
  it.each(dasTlds)('has two sample names of .%s', (tld) => {
    const names = registeredNames(tld);
    expect(names.length).toBe(2);
    expect(names.every((name) => name.endsWith(`.${tld}`))).toBe(true);
  });

  it.each([
    ['eu', 'das://das.eu:4343/'],
    ['be', 'das://das.dns.be:4343/'],
    ['ch', 'das://whois.nic.ch:4343/'],
    ['li', 'das://whois.nic.ch:4343/'],
    ['lt', 'das://das.domreg.lt:4343/'],
  ])('has the server of .%s', (tld, id) => {
    const service = serviceOf(tld);
    expect(dasSource(service, undefined, service.forms[0], options).id).toBe(id);
  });

  it('has no server of another TLD', () => {
    expect(dasServiceOf('de')).toBeUndefined();
  });
});

/** Queries a server by its name or address. Returns the problem, and the connections to it. */
async function connect(
  host: string | undefined,
  addresses: readonly string[],
  allowPrivate: boolean,
) {
  await using server = await startFakeDas(() => dasReplies.lt('name.lt', 'available'));
  const resolve: Resolve = (_host, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  const service = { ...serviceOf('lt'), port: server.port };
  const endpoint = host === undefined ? undefined : { host, port: server.port };
  const source = dasSource(service, endpoint, service.forms[0], {
    ...options,
    allowPrivate,
    resolve,
  });
  const { data, problem, provenance } = await source.lookup(queryOf('name.lt'), request);
  const outcome = problem?.code ?? data?.verdict;
  return { outcome, failure: provenance.failure, connections: server.connections };
}

function neverResolve(): void {}
