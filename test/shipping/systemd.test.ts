import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readConfig } from '../../src/config.ts';
import { projectFolder } from '../support/package/run.ts';

const read = (file: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(join(projectFolder, 'ops', file), 'utf8')
      .split('\n')
      .filter((line) => /^\w+=/.test(line))
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  );
const template = read('gateway@.service');
const single = read('gateway.service');

const settingsOf = (text = '') =>
  readConfig(Object.fromEntries(text.split(' ').map((setting) => setting.split('='))));

describe.each([
  ['gateway@.service', template],
  ['gateway.service', single],
])('%s', (_file, service) => {
  it('runs the command of `npm start` in the project folder', () => {
    expect(service['ExecStart']).toBe(`/usr/bin/${packageJson.scripts.start}`);
    for (const path of service['ExecStart']?.match(/\S*src\/\S+/g) ?? [])
      expect(existsSync(join(projectFolder, path))).toBe(true);
  });

  it('restarts a process that exits, and gives it more time to stop than it needs', () => {
    expect(service).toMatchObject({ Restart: 'always' });
    expect(service).not.toHaveProperty('KillSignal');
    expect(Number(service['TimeoutStopSec'])).toBeGreaterThan(10);
  });
});

it('runs each instance of the template on its own port', () => {
  const config = settingsOf(template['Environment']?.replaceAll('%i', '4001'));
  expect(config).toMatchObject({ PORT: 4001 });
});

it('keeps the SQLite store of the single gateway in its state folder', () => {
  const { STORE_URL, AUTH } = settingsOf(single['Environment']);
  expect(STORE_URL).toBe(`sqlite:/var/lib/${single['StateDirectory']}/gateway.db`);
  expect(AUTH).toBe('required');
  expect(single['ProtectSystem']).toBe('strict');
  // Files of a dynamic user could not be written by the gateway after root has run `keys`.
  expect(single).toMatchObject({ User: 'rdap-gateway', StateDirectoryMode: '0700' });
});

it('restricts both units alike', () => {
  expect(hardening(single)).toEqual(hardening(template));
});

/** Returns the settings that restrict a unit. */
const hardening = (unit: Record<string, string>) =>
  Object.entries(unit).filter(([name]) =>
    /^(?:Protect|Private|Restrict|Lock|NoNew|Cap|UMask)/.test(name),
  );
