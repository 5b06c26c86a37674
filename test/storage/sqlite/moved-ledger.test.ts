import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../../support/for-this-test.ts';
import type { Json } from '../../support/gateways/gateway.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';
import {
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../../support/gateways/metered-gateway.ts';

let metered: MeteredGateway;
let customer: Customer;
let lines: Json[];
beforeEach(async () => {
  const log = memoryLog();
  lines = log.lines;
  metered = await forThisTest(startMeteredGateway, { log: log.log });
  customer = await metered.newCustomer();
});

const file = (suffix = '') => join(metered.folder, `gateway.db${suffix}`);
const lookUp = async (name: string) =>
  (await customer.fetch(`/v1/status?domain=${name}.example`)).status;
/** Readiness is checked at most every 250 ms. */
const untilReady = (status: number) =>
  expect
    .poll(async () => (await metered.gateway.fetch('/ready')).status, { timeout: 10_000 })
    .toBe(status);

describe.skipIf(process.platform === 'win32')('a gateway whose ledger', () => {
  it.each<readonly [string, () => void]>(
    Object.entries({
      'is deleted': () => ['', '-wal', '-shm'].forEach((suffix) => rmSync(file(suffix))),
      'loses its write-ahead log': () => rmSync(file('-wal')),
      'is replaced with a copy': () => {
        copyFileSync(file(), file('-copy'));
        renameSync(file('-copy'), file());
      },
      'is moved with its folder': () => {
        renameSync(metered.folder, `${metered.folder}-moved`);
        mkdirSync(metered.folder);
      },
    }),
  )('%s acknowledges no further charge, and says what to do', async (_case, damage) => {
    expect(await lookUp('before')).toBe(200);
    const requests = metered.registry.requests.length;
    damage();
    expect(await Promise.all(['a', 'b', 'c'].map(lookUp))).toEqual([503, 503, 503]);
    expect(await lookUp('d')).toBe(503);
    expect(metered.registry.requests).toHaveLength(requests);
    await untilReady(503);
    const errors = lines.filter(({ level }) => level === 'error');
    expect(JSON.stringify(errors)).toMatch(/was deleted, moved or replaced .* restore a backup/);
    rmSync(`${metered.folder}-moved`, { recursive: true, force: true });
  });

  it('is moved away and back is charged again', async () => {
    const away = `${metered.folder}-away`;
    renameSync(metered.folder, away);
    expect(await lookUp('away')).toBe(503);
    await untilReady(503);
    renameSync(away, metered.folder);
    expect(await lookUp('back')).toBe(200);
    await untilReady(200);
    expect((await customer.balance()).used).toBe(1);
  });
});
