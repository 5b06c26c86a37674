import { derive } from '../../src/app/recorded-lookup.ts';
import { createLog } from '../../src/log.ts';
import { Receipts } from '../../src/receipts/receipts.ts';
import { SigningKeys } from '../../src/receipts/signing-keys.ts';
import { memorySql } from '../../src/storage/sqlite/sql-file.ts';
import { systemClock } from '../../src/clock.ts';
import type { EventClock } from '../support/time/event-clock.ts';
import type { Random } from '../support/time/random.ts';
import { worldOf } from './recorded-worlds.ts';

/** Makes receipts of random names whose sources answer at random, all signed with one key. */
export function receiptMaker() {
  const database = memorySql();
  const keys = new SigningKeys(database, systemClock);
  return {
    async make(random: Random) {
      const { domain, clock, record } = worldOf(random);
      const receipts = new Receipts({
        database,
        clock,
        log: createLog('silent'),
        directory: { resolve: () => ({}) as never },
        software: 'test',
        baseUrl: () => 'https://gateway.example',
        days: 30,
        record,
        derive: (payload) => whileBusy(clock, derive(payload)),
      });
      return clock.run(receipts.create(domain, operation as never));
    },
    keys: async () => ({ keys: await keys.publicKeys() }),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

const operation = {
  payer: undefined,
  meter: undefined,
  request: () => ({ signal: new AbortController().signal }),
  spendFree: () => undefined,
  onFree: () => undefined,
};

/** A replay has a clock of its own, so that this one sees nothing going on. */
function whileBusy<T>(clock: EventClock, work: Promise<T>): Promise<T> {
  const state = { isDone: false };
  const touch = () => {
    clock.touch();
    if (!state.isDone) setImmediate(touch);
  };
  touch();
  return work.finally(() => (state.isDone = true));
}
