import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectFolder, run } from '../../support/run.ts';
import { scratch } from '../../support/scratch.ts';

/** Returns the content of the files below a folder, by path. */
async function contentOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const files = paths
    .toSorted()
    .map(async (path) => [path.slice(folder.length + 1), await readFile(path, 'latin1')] as const);
  return new Map(await Promise.all(files));
}

it('the vendored files match the installed packages and include their licences (`npm run vendor` updates them)', async () => {
  await using folder = await scratch();
  const target = join(folder.path, 'vendor');
  expect(
    await run(process.execPath, ['scripts/vendor.ts', target], { cwd: projectFolder }),
  ).toMatchObject({ code: 0 });
  const copied = await contentOf(target);
  const vendored = await contentOf(join(projectFolder, 'src/http/pages/vendor'));
  expect([...vendored.keys()]).toEqual([...copied.keys()]);
  for (const [path, text] of copied) expect(vendored.get(path) === text, path).toBe(true);
  expect([...vendored.keys()].filter((path) => path.endsWith('/LICENSE'))).toHaveLength(4);
});
