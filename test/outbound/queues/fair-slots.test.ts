import { describe, expect, it } from 'vitest';
import { FairSlots } from '../../../src/outbound/queues/fair-slots.ts';
import { manualClock } from '../../support/time/manual-clock.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

function start(maxInFlight: number, maxPerKey: number) {
  const clock = manualClock();
  const slots = new FairSlots({ maxInFlight, maxPerKey, maxPerAddress: 3, clock });
  const started: { name: string; release: () => void }[] = [];
  const acquire = async (
    account: string,
    key: string,
    signal = new AbortController().signal,
    address?: string,
  ) => {
    const queueDeadline = clock.now() + 1000;
    const release = await slots.acquire({ account, signal, queueDeadline }, key, address);
    if (release) started.push({ name: `${account} ${key}`, release });
    return release !== undefined;
  };
  return { clock, slots, started, acquire, names: () => started.map(({ name }) => name) };
}

describe('slots that accounts share', () => {
  it('has two per key, and a full key delays no other', async () => {
    const { acquire, names, started } = start(64, 2);
    for (const key of ['a', 'a', 'a', 'b']) void acquire('alice', key);
    await settle();
    expect(names()).toEqual(['alice a', 'alice a', 'alice b']);
    started[0]?.release();
    await settle();
    expect(names().at(-1)).toBe('alice a');
  });

  it('has some per address, and a full address delays no other', async () => {
    const { acquire, names, started, slots } = start(64, 2);
    const at = (key: string, address: string) => void acquire('alice', key, undefined, address);
    for (const key of ['a', 'b', 'c', 'd']) at(key, '192.0.2.1');
    at('d', '192.0.2.2');
    await settle();
    expect(names()).toEqual(['alice a', 'alice b', 'alice c', 'alice d']);
    // A request that waits for its address has no slot of its key.
    at('d', '192.0.2.2');
    await settle();
    expect(names()).toHaveLength(5);
    // The request of d at the first address starts once both its key and its address are free.
    started[0]?.release();
    await settle();
    expect(names()).toHaveLength(5);
    started[3]?.release();
    await settle();
    expect(names()).toHaveLength(6);
    for (const index of [1, 2, 4, 5]) started[index]?.release();
    expect(slots.size).toBe(0);
  });

  it('takes turns between the accounts that wait for a key', async () => {
    const { acquire, names, started } = start(64, 1);
    for (const account of ['alice', 'alice', 'alice', 'bob']) void acquire(account, 'a');
    for (let index = 0; index < 4; index += 1) {
      await settle();
      started[index]?.release();
    }
    expect(names().slice(0, 3)).toContain('bob a');
  });

  it('leaves slots for other accounts', async () => {
    const { acquire, names } = start(64, 2);
    for (let index = 0; index < 100; index += 1) void acquire('alice', `${index}`);
    void acquire('bob', 'b');
    await settle();
    expect(names()).toHaveLength(33);
    expect(names().at(-1)).toBe('bob b');
  });

  it('ends to wait at the deadline or when cancelled, and forgets idle accounts', async () => {
    const { acquire, started, slots, clock } = start(64, 1);
    void acquire('alice', 'a');
    await settle();
    const cancelled = new AbortController();
    const [late, aborted] = [acquire('bob', 'a'), acquire('carol', 'a', cancelled.signal)];
    await settle();
    cancelled.abort();
    expect(await aborted).toBe(false);
    clock.advance(1002);
    expect(await late).toBe(false);
    started[0]?.release();
    expect(slots.size).toBe(0);
  });
});
