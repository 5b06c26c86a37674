import { expect, it } from 'vitest';
import { idempotencyRecordOpener } from '../../../src/api/rest/idempotency-key.ts';
import { openAccounts } from '../../../src/storage/open.ts';
import { manualClock } from '../../support/time/manual-clock.ts';

it('an Idempotency-Key conflicts with another body that was bound in the meantime', async () => {
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
