import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generateKey } from '../../src/accounts/api-key.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import {
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../support/gateways/metered-gateway.ts';
import { frozenClock, type FrozenClock } from '../support/time/frozen-clock.ts';
import { sequentially, statuses } from '../support/requests/statuses.ts';

/** 12 per minute: a burst of 12, then one every five seconds. */
const limit = { RATE_LIMIT: '12', TRUSTED_PROXIES: '127.0.0.1' };
const burst = 12;
const free = '/v1/status?domain=a.test';

let clock: FrozenClock;
let metered: MeteredGateway;
let customer: Customer;

beforeEach(async () => {
  clock = frozenClock();
  metered = await startMeteredGateway({ env: limit, clock });
  customer = await metered.newCustomer();
});
afterEach(() => metered[Symbol.asyncDispose]());

// Sent sequentially: an invalid key counts once it was found to be invalid.
const guess = (address: string) =>
  metered.gateway.fetch(free, {
    headers: { 'x-api-key': generateKey(), 'x-forwarded-for': address },
  });

describe('requests with invalid keys', () => {
  it('are limited per address, whatever the keys', async () => {
    expect(statuses(await sequentially(burst + 5, () => guess('192.0.2.1')))).toEqual({
      401: burst,
      429: 5,
    });
    expect((await guess('192.0.2.2')).status).toBe(401);
    clock.advance(5000);
    expect(statuses(await sequentially(2, () => guess('192.0.2.1')))).toEqual({ 401: 1, 429: 1 });
  });

  it('are limited per IPv6 /64, including mistyped keys', async () => {
    for (let number = 0; number < burst; number++) {
      const key = number % 2 === 0 ? generateKey() : 'rgw_mistyped';
      const headers = { 'x-forwarded-for': `2001:db8::${number}`, 'x-api-key': key };
      expect((await metered.gateway.fetch(free, { headers })).status).toBe(401);
    }
    expect((await guess('2001:db8::ffff')).status).toBe(429);
    expect((await guess('2001:db8:0:1::1')).status).toBe(401);
  });

  it('are counted separately from requests without a key, which do not affect valid keys', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    expect(
      statuses(await sequentially(burst + 1, () => metered.gateway.fetch(free, { headers }))),
    ).toEqual({ 401: burst, 429: 1 });
    expect((await customer.fetch(free, { headers })).status).toBe(200);
  });

  it('do not affect valid keys from the same address, even with 400 at once and 16 every five seconds', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    const valid = () => customer.fetch(free, { headers });
    const [first, ...attack] = await Promise.all([
      valid(),
      ...Array.from({ length: 400 }, () => guess('192.0.2.1')),
    ]);
    expect(first?.status).toBe(200);
    expect(statuses(attack)).toEqual({ 401: burst, 429: 400 - burst });
    for (let round = 0; round < 20; round++) {
      clock.advance(5000);
      const [answer] = await Promise.all([
        valid(),
        ...Array.from({ length: 16 }, () => guess('192.0.2.1')),
      ]);
      expect(answer?.status).toBe(200);
    }
  });

  it('do not affect requests without a key from the same address', async () => {
    await using open = await startGateway({ env: { AUTH: 'open', RATE_LIMIT: '12' }, clock });
    const wrong = { headers: { 'x-api-key': generateKey() } };
    expect(statuses(await sequentially(burst + 1, () => open.fetch(free, wrong)))).toEqual({
      401: burst,
      429: 1,
    });
    expect((await open.fetch(free)).status).toBe(200);
  });

  it('cannot evade the limit with a forged X-Forwarded-For', async () => {
    await using plain = await startGateway({ env: { AUTH: 'required', RATE_LIMIT: '12' }, clock });
    const answers = [];
    for (let number = 0; number <= burst; number++) {
      const headers = { 'x-api-key': generateKey(), 'x-forwarded-for': `192.0.2.${number}` };
      answers.push(await plain.fetch(free, { headers }));
    }
    expect(statuses(answers)).toEqual({ 401: burst, 429: 1 });
    expect(
      statuses(await sequentially(burst + 1, () => guess('192.0.2.99, 198.51.100.7'))),
    ).toEqual({ 401: burst, 429: 1 });
    expect((await guess('198.51.100.7')).status).toBe(429);
  });
});
