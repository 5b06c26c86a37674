import { beforeAll, describe, expect, it } from 'vitest';
import { findUsedAliases } from '../../../../src/http/response/deprecations.ts';
import {
  fingerprintOf,
  readIdempotencyKey,
  idempotencyRecordOpener,
} from '../../../../src/http/rest/bulk/idempotency-key.ts';
import { readBulk, readInputs } from '../../../../src/http/rest/bulk/body.ts';
import { openAccounts } from '../../../../src/storage/open.ts';
import { manualClock } from '../../../support/manual-clock.ts';
import { TimeSlices } from '../../../../src/http/request/time-slices.ts';
import { problemOf } from '../../../support/problem-of.ts';

describe('an Idempotency-Key', () => {
  it.each(['1', '8e03978e-40d5-43e8-bc93-6894a57f9324', '"quoted"', 'x'.repeat(255)])(
    '%s is a key',
    (key) => {
      expect(readIdempotencyKey({ 'idempotency-key': key })).toBe(key);
    },
  );

  it('may be left out', () => {
    expect(readIdempotencyKey({})).toBeUndefined();
  });

  it.each([
    ['', 'missing_parameter'],
    ['x'.repeat(256), 'invalid_parameter'],
    ['given, twice', 'invalid_parameter'],
    ['schlüssel', 'invalid_parameter'],
    ['a\tb', 'invalid_parameter'],
  ])('%j is none', (key, code) => {
    expect(problemOf(() => readIdempotencyKey({ 'idempotency-key': key }))).toMatchObject({
      code,
      param: 'Idempotency-Key',
    });
  });
});

async function print(text: string): Promise<string> {
  const body: unknown = JSON.parse(text);
  return fingerprintOf(
    await readInputs(
      readBulk(body, 100, findUsedAliases('/v1/status/bulk', new URLSearchParams(), body)),
      new TimeSlices(),
    ),
  );
}

describe('two bodies', () => {
  let one: string;
  beforeAll(async () => {
    one = await print('{"domains":["a.test","b.test"],"max_age":60}');
  });

  it.each([
    '{ "max_age": 60,\n "domains": ["a.test", "b.test"] }',
    '{"domains":["a.test","b.test"],"max_age":60,"comment":"again"}',
    '{"domains":["a.test","b.test"],"options":{"max_age":60}}',
    '{"domains":["a.test","b.test"],"max_age":60,"skip_cache":true}',
  ])('are the same when they ask for the same: %s', async (body) => {
    expect(await print(body)).toBe(one);
  });

  it.each([
    '{"domains":["b.test","a.test"],"max_age":60}',
    '{"domains":["a.test"],"max_age":60}',
    '{"domains":["a.test","b.test"]}',
    '{"domains":["a.test","b.test"],"max_age":0}',
    '{"domains":["a.test,b.test"],"max_age":60}',
  ])('are not the same otherwise: %s', async (body) => {
    expect(await print(body)).not.toBe(one);
  });
});

describe('a key that comes again', () => {
  it('is no conflict before one of two bodies is bound, and then one for the other', async () => {
    const keys = await openAccounts('memory:', { clock: manualClock(), freeCredits: 0 });
    const use = { caller: 'alice', key: 'k', fingerprint: 'one' };
    // Two processes: within one, the second call waits for the first.
    const [first, second] = [
      await idempotencyRecordOpener(keys)(use),
      await idempotencyRecordOpener(keys)({ ...use, fingerprint: 'two' }),
    ];
    await first.bind();
    await expect(second.bind()).rejects.toMatchObject({ code: 'idempotency_conflict' });
  });

  it('says what was charged under it, and is a conflict with another body', async () => {
    const keys = await openAccounts('memory:', { clock: manualClock(), freeCredits: 0 });
    const use = { caller: 'alice', key: 'k', fingerprint: 'one' };
    const openReceipt = idempotencyRecordOpener(keys);
    const first = await openReceipt(use);
    expect(first).toMatchObject({ charged: 0, since: undefined });
    await first.bind();
    await first.addCharge(3);
    first.release();
    expect(await openReceipt(use)).toMatchObject({ charged: 3, since: expect.any(Number) });
    await expect(openReceipt({ ...use, fingerprint: 'two' })).rejects.toMatchObject({
      code: 'idempotency_conflict',
      param: 'Idempotency-Key',
      status: 409,
    });
  });

  it('waits for the calls before it, also where one of them fails, and holds up no other key', async () => {
    const keys = await openAccounts('memory:', { clock: manualClock(), freeCredits: 0 });
    const openReceipt = idempotencyRecordOpener(keys);
    const use = { caller: 'alice', key: 'k', fingerprint: 'one' };
    const first = await openReceipt(use);
    await first.bind();
    const order: string[] = [];
    const second = openReceipt(use).then(
      (receipt) => void (order.push('second'), receipt.release()),
    );
    const failing = openReceipt({ ...use, fingerprint: 'two' }).catch(
      () => void order.push('conflict'),
    );
    const third = openReceipt(use).then(() => void order.push('third'));
    await openReceipt({ ...use, key: 'other' });
    await failing;
    order.push('released');
    first.release();
    await Promise.all([second, third]);
    expect(order).toEqual(['conflict', 'released', 'second', 'third']);
  });
});
