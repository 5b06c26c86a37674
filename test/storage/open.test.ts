import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLog } from '../../src/log.ts';
import { openAnswers } from '../../src/storage/open.ts';

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

it('memory: writes no file', async () => {
  await openAnswers('memory:', log).close();
  expect(readdirSync(folder)).toEqual([]);
});

it.each(['redis://localhost/x', 'sqlite:', 'data.db', ''])('"%s" is refused with what is accepted', (url) => {
  expect(() => openAnswers(url, log)).toThrow('STORE_URL must be sqlite:PATH, memory: or postgres:');
});

it('a path that cannot be used is refused by its name', () => {
  mkdirSync(join(folder, 'gateway-answers.db'));
  expect(() => openAnswers(`sqlite:${folder}/gateway.db`, log)).toThrow(`cannot be kept in ${folder}/gateway-answers.db`);
});
