import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { notImplementedPaths } from '../../src/http/rest/rest-routes.ts';
import type { Json } from '../support/gateway.ts';
import { projectFolder, run } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';
import { toolPath } from './tool-path.ts';

// These paths return 501 for every request, so the document has no 2xx response for them.
const exceptions = notImplementedPaths.map(
  (path) => `operation-success-response: paths.${path}.get.responses`,
);

it('the OpenAPI document passes the rules of Spectral, except for paths that are not implemented', async () => {
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
  const findings: readonly Json[] = JSON.parse(stdout);
  expect(findings.map(({ code, path }) => `${code}: ${path.join('.')}`).toSorted()).toEqual(
    exceptions.toSorted(),
  );
});
