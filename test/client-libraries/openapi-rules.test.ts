import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createConfig, lint } from '@redocly/openapi-core';
import { expect, it } from 'vitest';
import type { Json } from '../support/gateways/gateway.ts';
import { projectFolder, run } from '../support/package/run.ts';
import { scratch } from '../support/stores/scratch.ts';
import { toolPath } from './tool-path.ts';

const file = join(projectFolder, 'schema/openapi.json');
const moreRules = [
  'no-invalid-schema-examples',
  'no-invalid-parameter-examples',
  'operation-4xx-problem-details-rfc7807',
  'operation-tag-defined',
  'parameter-description',
  'operation-parameters-unique',
] as const;

it('the OpenAPI document passes the rules of Spectral', async () => {
  await using folder = await scratch();
  const ruleset = join(folder.path, 'ruleset.yaml');
  await writeFile(ruleset, 'extends: ["spectral:oas"]');
  const options = ['--ruleset', ruleset, '--format', 'json', '--quiet', file];
  const { stdout } = await run(process.execPath, [
    toolPath('@stoplight/spectral-cli', 'dist/index.js'),
    'lint',
    ...options,
  ]);
  const findings: readonly Json[] = JSON.parse(stdout);
  expect(findings.map(({ code, path }) => `${code}: ${path.join('.')}`)).toEqual([]);
});

it('the OpenAPI document passes the rules of Redocly without warnings', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: Object.fromEntries(moreRules.map((rule) => [rule, 'error'])),
  });
  const findings = await lint({ ref: file, config });
  expect(
    findings.map(
      ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
    ),
  ).toEqual([]);
});
