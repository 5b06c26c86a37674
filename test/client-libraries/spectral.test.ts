import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { notImplementedPaths } from '../../src/http/rest/rest-routes.ts';
import type { Json } from '../support/gateway.ts';
import { projectFolder, run } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';
import { toolPath } from './tool-path.ts';

// These paths respond with 501 to every request. A 2xx response in the document would be untrue.
const exceptions = notImplementedPaths.map(
  (path) => `operation-success-response: paths.${path}.get.responses`,
);

it('the OpenAPI document satisfies the rules of Spectral, except for the paths that are not implemented', async () => {
  await using folder = await scratch();
  const ruleset = join(folder.path, 'ruleset.yaml');
  await writeFile(ruleset, 'extends: ["spectral:oas"]');
  const options = [
    '--ruleset',
    ruleset,
    '--format',
    'json',
    '--quiet',
    join(projectFolder, 'schema/openapi.json'),
  ];
  const { stdout } = await run(process.execPath, [
    toolPath('@stoplight/spectral-cli', 'dist/index.js'),
    'lint',
    ...options,
  ]);
  const found: readonly Json[] = JSON.parse(stdout);
  expect(found.map(({ code, path }) => `${code}: ${path.join('.')}`).toSorted()).toEqual(
    exceptions.toSorted(),
  );
});
