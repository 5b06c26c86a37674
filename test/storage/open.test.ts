import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createLog } from '../../src/log.ts';
import { openAnswers, openStores } from '../../src/storage/open.ts';

const log = createLog('silent');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'answers-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it.each([
  ['data/gateway.db', 'data/gateway-answers.db'],
  ['ledger', 'ledger-answers'],
])('sqlite:%s keeps the answers in %s, and makes the folder', async (ledger, answers) => {
  await openAnswers(`sqlite:${join(folder, ledger)}`, log).close();
  expect(existsSync(join(folder, answers))).toBe(true);
});

// Windows has no such modes.
describe.skipIf(process.platform === 'win32')('contacts and accounts', () => {
  const files = [
    'gateway-answers.db',
    'gateway-answers.db-shm',
    'gateway-answers.db-wal',
    'gateway.db',
    'gateway.db-last-entry',
    'gateway.db-shm',
    'gateway.db-wal',
  ];

  it('are for nobody else to read', async () => {
    const data = join(folder, 'made/data');
    await withStores(`sqlite:${data}/gateway.db`, () => {
      expect([modeOf(join(folder, 'made')), modeOf(data)]).toEqual([0o700, 0o700]);
      expect(modesIn(data)).toEqual(Object.fromEntries(files.map((file) => [file, 0o600])));
    });
  });

  it('are read by whom the operator lets read them', async () => {
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

it('memory: writes no file', async () => {
  await openAnswers('memory:', log).close();
  expect(readdirSync(folder)).toEqual([]);
});

it.each(['redis://localhost/x', 'sqlite:', 'data.db', ''])(
  '"%s" is refused with what is accepted',
  (url) => {
    expect(() => openAnswers(url, log)).toThrow(
      'STORE_URL must be sqlite:PATH, memory: or postgres:',
    );
  },
);

it('a path that cannot be used is refused by its name', () => {
  mkdirSync(join(folder, 'gateway-answers.db'));
  expect(() => openAnswers(`sqlite:${folder}/gateway.db`, log)).toThrow(
    `cannot be kept in ${folder}/gateway-answers.db`,
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
