import { beforeAll, describe, expect, it } from 'vitest';
import { findUsedAliases } from '../../../src/server/messages/deprecations.ts';
import {
  fingerprintOf,
  readIdempotencyKey,
  idempotencyRecordOpener,
} from '../../../src/api/rest/idempotency-key.ts';
import { bulk } from '../../../src/api/rest/endpoints/bulk.ts';
import { readBulk, readInputs } from '../../../src/api/rest/bulk-request.ts';
import { openAccounts } from '../../../src/storage/open.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import { TimeSlices } from '../../../src/execution/time-slices.ts';
import { problemOf } from '../../support/checks/problem-of.ts';

describe('an Idempotency-Key', () => {
  it.each(['1', '8e03978e-40d5-43e8-bc93-6894a57f9324', '"quoted"', 'x'.repeat(255)])(
    'may be %s',
    (key) => {
      expect(readIdempotencyKey({ 'idempotency-key': key })).toBe(key);
    },
  );

  it('may be absent', () => {
    expect(readIdempotencyKey({})).toBeUndefined();
  });

  it.each([
    ['', 'missing_parameter'],
    ['x'.repeat(256), 'invalid_parameter'],
    ['sent, twice', 'invalid_parameter'],
    ['schlüssel', 'invalid_parameter'],
    ['a\tb', 'invalid_parameter'],
  ])('must not be %j', (key, code) => {
    expect(problemOf(() => readIdempotencyKey({ 'idempotency-key': key }))).toMatchObject({
      code,
      param: 'Idempotency-Key',
    });
  });
});

async function fingerprint(text: string): Promise<string> {
  const body: unknown = JSON.parse(text);
  return fingerprintOf(
    await readInputs(
      readBulk(body, 100, findUsedAliases(bulk.aliases, new URLSearchParams(), body)),
      new TimeSlices(),
    ),
  );
}

describe('two bodies', () => {
  let expected: string;
  beforeAll(async () => {
    expected = await fingerprint('{"domains":["a.test","b.test"],"max_age":60}');
  });

  it.each([
    '{ "max_age": 60,\n "domains": ["a.test", "b.test"] }',
    '{"domains":["a.test","b.test"],"max_age":60,"comment":"again"}',
    '{"domains":["a.test","b.test"],"options":{"max_age":60}}',
    '{"domains":["a.test","b.test"],"max_age":60,"skip_cache":true}',
  ])('have the same fingerprint if they request the same: %s', async (body) => {
    expect(await fingerprint(body)).toBe(expected);
  });

  it.each([
    '{"domains":["b.test","a.test"],"max_age":60}',
    '{"domains":["a.test"],"max_age":60}',
    '{"domains":["a.test","b.test"]}',
    '{"domains":["a.test","b.test"],"max_age":0}',
    '{"domains":["a.test,b.test"],"max_age":60}',
  ])('have different fingerprints otherwise: %s', async (body) => {
    expect(await fingerprint(body)).not.toBe(expected);
  });
});

describe('a repeated Idempotency-Key', () => {
  it('conflicts with another body once a body is bound', async () => {
    const keys = await openAccounts('memory:', { clock: manualClock(), freeCredits: 0 });
    const use = { caller: 'alice', key: 'k', fingerprint: 'one' };
    // Two openers, like two processes: within one, the second call would wait for the first.
    const [first, second] = [
      await idempotencyRecordOpener(keys)(use),
      await idempotencyRecordOpener(keys)({ ...use, fingerprint: 'two' }),
    ];
    await first.bind();
    await expect(second.bind()).rejects.toMatchObject({ code: 'idempotency_conflict' });
  });

  it('returns what it was charged, and conflicts with another body', async () => {
    const keys = await openAccounts('memory:', { clock: manualClock(), freeCredits: 0 });
    const use = { caller: 'alice', key: 'k', fingerprint: 'one' };
    const openRecord = idempotencyRecordOpener(keys);
    const first = await openRecord(use);
    expect(first).toMatchObject({ charged: 0, since: undefined });
    await first.bind();
    await first.addCharge(3);
    first.release();
    expect(await openRecord(use)).toMatchObject({ charged: 3, since: expect.any(Number) });
    await expect(openRecord({ ...use, fingerprint: 'two' })).rejects.toMatchObject({
      code: 'idempotency_conflict',
      param: 'Idempotency-Key',
      status: 409,
    });
  });

  it('waits for earlier calls, even if one of them fails, but not for other keys', async () => {
    const keys = await openAccounts('memory:', { clock: manualClock(), freeCredits: 0 });
    const openRecord = idempotencyRecordOpener(keys);
    const use = { caller: 'alice', key: 'k', fingerprint: 'one' };
    const first = await openRecord(use);
    await first.bind();
    const order: string[] = [];
    const second = openRecord(use).then((record) => void (order.push('second'), record.release()));
    const failing = openRecord({ ...use, fingerprint: 'two' }).catch(
      () => void order.push('conflict'),
    );
    const third = openRecord(use).then(() => void order.push('third'));
    await openRecord({ ...use, key: 'other' });
    await failing;
    order.push('released');
    first.release();
    await Promise.all([second, third]);
    expect(order).toEqual(['conflict', 'released', 'second', 'third']);
  });
});
