import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readConfig } from '../../src/config.ts';
import { projectFolder } from '../support/run.ts';

const lines = readFileSync(join(projectFolder, 'ops/gateway@.service'), 'utf8').split('\n');
const service = Object.fromEntries(
  lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2)),
);

it('runs the command of `npm start` in the project folder', () => {
  expect(service['ExecStart']).toBe(`/usr/bin/${packageJson.scripts.start}`);
  for (const path of service['ExecStart'].match(/\S*src\/\S+/g))
    expect(existsSync(join(projectFolder, path))).toBe(true);
});

it('runs each instance on its own port', () => {
  const settings = service['Environment'].replaceAll('%i', '4001').split(' ');
  const environment = Object.fromEntries(settings.map((setting: string) => setting.split('=')));
  expect(readConfig(environment)).toMatchObject({ PORT: 4001 });
});

it('restarts a process that exits, and gives it more time to stop than it needs', () => {
  expect(service).toMatchObject({ Restart: 'always' });
  expect(service).not.toHaveProperty('KillSignal');
  expect(Number(service['TimeoutStopSec'])).toBeGreaterThan(10);
});
