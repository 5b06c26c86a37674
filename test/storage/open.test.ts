import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createLog } from '../../src/log.ts';
import { openAnswers, openStores } from '../../src/storage/open.ts';
import { forThisTest } from '../support/for-this-test.ts';
import { scratch } from '../support/stores/scratch.ts';

const log = createLog('silent');
let folder: string;

beforeEach(async () => {
  ({ path: folder } = await forThisTest(scratch));
});

it.each([
  ['data/gateway.db', 'data/gateway-answers.db'],
  ['ledger', 'ledger-answers'],
])('stores the answers of sqlite:%s in %s, and creates the folder', async (ledger, answers) => {
  await openAnswers(`sqlite:${join(folder, ledger)}`, log).close();
  expect(existsSync(join(folder, answers))).toBe(true);
});

// Windows has no file modes.
describe.skipIf(process.platform === 'win32')('files with contacts and accounts', () => {
  const files = [
    'gateway-answers.db',
    'gateway-answers.db-shm',
    'gateway-answers.db-wal',
    'gateway-watches.db',
    'gateway-watches.db-shm',
    'gateway-watches.db-wal',
    'gateway.db',
    'gateway.db-last-entry',
    'gateway.db-lock',
    'gateway.db-shm',
    'gateway.db-wal',
  ];

  it('are readable only by their owner', async () => {
    const data = join(folder, 'new/data');
    await withStores(`sqlite:${data}/gateway.db`, () => {
      expect([modeOf(join(folder, 'new')), modeOf(data)]).toEqual([0o700, 0o700]);
      expect(modesIn(data)).toEqual(Object.fromEntries(files.map((file) => [file, 0o600])));
    });
  });

  it('keep the modes that the operator has set', async () => {
    const storeUrl = `sqlite:${folder}/gateway.db`;
    await withStores(storeUrl, () => {});
    chmodSync(folder, 0o755);
    for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o640);
    await withStores(storeUrl, () => {
      expect(modeOf(folder)).toBe(0o755);
      expect(modesIn(folder)).toEqual(Object.fromEntries(files.map((file) => [file, 0o640])));
    });
  });
});

it('writes no file for memory:', async () => {
  await openAnswers('memory:', log).close();
  expect(readdirSync(folder)).toEqual([]);
});

it.each(['redis://localhost/x', 'sqlite:', 'data.db', ''])(
  'rejects "%s" with the accepted values',
  (url) => {
    expect(() => openAnswers(url, log)).toThrow(
      'STORE_URL must be sqlite:PATH, memory: or postgres:',
    );
  },
);

it('rejects an unusable path, and names it', () => {
  mkdirSync(join(folder, 'gateway-answers.db'));
  expect(() => openAnswers(`sqlite:${folder}/gateway.db`, log)).toThrow(
    `cannot open the answer store ${folder}/gateway-answers.db`,
  );
});

async function withStores(storeUrl: string, work: () => void): Promise<void> {
  const stores = await openStores(storeUrl, { clock: systemClock, freeCredits: 0 }, log);
  try {
    work();
  } finally {
    await stores.close();
  }
}

function modesIn(directory: string): Record<string, number> {
  return Object.fromEntries(
    readdirSync(directory).map((file) => [file, modeOf(join(directory, file))]),
  );
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}
