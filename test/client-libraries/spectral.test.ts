import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Json } from '../support/gateway.ts';
import { projectFolder, run } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';
import { toolPath } from './tool-path.ts';

it('the OpenAPI document passes the rules of Spectral', async () => {
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
  expect(findings.map(({ code, path }) => `${code}: ${path.join('.')}`)).toEqual([]);
});
