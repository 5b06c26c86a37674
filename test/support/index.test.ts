import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('the index has every file of this folder', () => {
  const index = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  const named = Array.from(index.matchAll(/`([\w-]+\.ts)`/g), ([, file]) => file ?? '');
  const files = readdirSync(import.meta.dirname).filter((file) => /(?<!\.test)\.ts$/.test(file));
  expect([...new Set(named)].toSorted()).toEqual(files.toSorted());
});
