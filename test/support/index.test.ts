import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

it('the index has every file of this folder', () => {
  const index = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  const named = Array.from(index.matchAll(/`([\w-]+\.ts)`/g), ([, file]) => file ?? '');
  const files = globSync('**/*.ts', { cwd: import.meta.dirname, exclude: ['**/*.test.ts'] });
  expect([...new Set(named)].toSorted()).toEqual(files.map((file) => basename(file)).toSorted());
});
