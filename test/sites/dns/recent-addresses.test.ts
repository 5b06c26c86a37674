import { expect, it } from 'vitest';
import type { Resolve } from '../../../src/outbound/public-address.ts';
import { recentAddresses } from '../../../src/sites/dns/address-resolver.ts';
import { siteAddress } from '../../../src/sites/site-client.ts';
import { manualClock } from '../../support/time/manual-clock.ts';

it('resolves a host once in five seconds, for the slot of a request and for its connection', async () => {
  const clock = manualClock();
  const queries: string[] = [];
  const upstream: Resolve = (host, _options, callback) => {
    queries.push(host);
    if (host === 'none.example') callback(new Error('unknown'), []);
    else callback(null, [{ address: '192.0.2.1', family: 4 }]);
  };
  const resolve = recentAddresses(upstream, clock);
  const addressOf = (host: string) =>
    siteAddress(host, 443, { serverOf: () => undefined, resolve });
  expect(await addressOf('a.example')).toBe('192.0.2.1');
  clock.advance(4999);
  expect(await addressOf('a.example')).toBe('192.0.2.1');
  expect(queries).toEqual(['a.example']);
  clock.advance(1);
  await addressOf('a.example');
  expect(queries).toEqual(['a.example', 'a.example']);
  expect(await addressOf('none.example')).toBeUndefined();
  expect(await addressOf('[2001:db8::1]')).toBe('2001:db8::1');
});
