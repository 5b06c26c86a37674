import type { LookupAddress } from 'node:dns';
import { expect, it } from 'vitest';
import type { Answer } from 'dns-packet';
import { systemClock } from '../../../src/clock.ts';
import { addressResolver } from '../../../src/sites/dns/address-resolver.ts';
import { createResolver } from '../../../src/sites/dns/read-records.ts';
import { startFakeDnsServer, type DnsAnswerOf } from '../../support/servers/fake-dns-server.ts';
import { manualClock } from '../../support/time/manual-clock.ts';

const name = 'shop.example';

async function start(answerOf: DnsAnswerOf, clock = systemClock) {
  const server = await startFakeDnsServer(answerOf);
  const resolve = addressResolver(() => createResolver([`127.0.0.1:${server.port}`]), clock);
  return {
    /** Returns the addresses, or the code of the error. */
    resolve: () =>
      new Promise<readonly LookupAddress[] | string | undefined>((settle) =>
        resolve(name, { all: true }, (error, addresses) => settle(error?.code ?? addresses)),
      ),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const addresses: Readonly<Record<string, Answer>> = {
  A: { type: 'A', name, data: '192.0.2.1' },
  AAAA: { type: 'AAAA', name, data: '2001:db8::1' },
};
const addressOf: DnsAnswerOf = (_name, type) => (query) => {
  const answer = addresses[type];
  query.send({ answers: answer ? [answer] : [] });
};
const ipv4 = { address: '192.0.2.1', family: 4 };
const ipv6 = { address: '2001:db8::1', family: 6 };

it('resolves a name to its addresses of both families', async () => {
  await using both = await start(addressOf);
  expect(await both.resolve()).toEqual([ipv4, ipv6]);
});

it.each(['nodata', 'nxdomain', 'servfail', 'refused'] as const)(
  'resolves a name to the addresses of one family if the other is %s',
  async (other) => {
    for (const [type, address] of Object.entries({ A: ipv4, AAAA: ipv6 })) {
      await using one = await start((queried, queriedType, transport) =>
        queriedType === type ? addressOf(queried, type, transport) : other,
      );
      expect(await one.resolve()).toEqual([address]);
    }
  },
);

it('follows aliases', async () => {
  await using aliased = await start((_name, type) => (query) => {
    const alias: Answer = { type: 'CNAME', name, data: 'cdn.example' };
    const target: Answer = { type: 'A', name: 'cdn.example', data: '192.0.2.1' };
    query.send({ answers: type === 'A' ? [alias, target] : [alias] });
  });
  expect(await aliased.resolve()).toEqual([ipv4]);
});

it.each([
  ['nodata', 'nodata', 'ENOTFOUND'],
  ['nxdomain', 'nxdomain', 'ENOTFOUND'],
  ['nodata', 'servfail', 'EAI_AGAIN'],
  ['refused', 'nodata', 'EAI_AGAIN'],
] as const)('fails with the codes of dns.lookup: %s and %s', async (ofA, ofAaaa, code) => {
  await using server = await start((_name, type) => (type === 'A' ? ofA : ofAaaa));
  expect(await server.resolve()).toBe(code);
});

it('cancels the queries after five seconds', async () => {
  const clock = manualClock();
  await using silent = await start(() => 'silent', clock);
  const resolving = silent.resolve();
  await clock.whenPending();
  clock.advance(5000);
  expect(await resolving).toBe('EAI_AGAIN');
  expect(clock.pending).toBe(0);
});
