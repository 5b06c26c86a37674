import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';
import { startGateway, type Gateway } from './support/gateway.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** A shell block with curl in it, and the block after it, which is what the README says it prints. */
const examples = Array.from(
  readme.matchAll(/```sh\n(curl[^`]*)```\n\n```(json|text)\n([^`]*)```/g),
  ([, command = '', kind = '', printed = '']) => ({
    command,
    kind,
    printed,
  }),
);

const run = promisify(execFile);
const noCurl = reasonWithoutCurl();

describe.skipIf(noCurl)(`the examples of the README print what it says${noCurl}`, () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it.each(examples)('$command', async ({ command, kind, printed }) => {
    const { stdout } = await run('sh', [
      '-c',
      command.replaceAll('http://127.0.0.1:4000', gateway.url),
    ]);
    const said = printed.replaceAll('http://127.0.0.1:4000', gateway.url);
    if (kind === 'json') expect(JSON.parse(stdout)).toEqual(whatever(JSON.parse(said)));
    else expect(stdout.trim()).toBe(said.trim());
  });

  it('has examples for both doors', () => {
    expect(examples.filter(({ command }) => command.includes('/graphql')).length).toBeGreaterThan(
      1,
    );
    expect(examples.filter(({ command }) => command.includes('/v1/')).length).toBeGreaterThan(1);
  });
});

describe('the README', () => {
  it('has a row for each variable of the configuration, and for nothing else', () => {
    const rows = sectionOf('Configuration').matchAll(/^\| (`[^|]+`) +\|/gm);
    const named = Array.from(rows, ([, cell = '']) =>
      cell.split(', ').map((name) => name.replaceAll('`', '')),
    ).flat();
    expect(named.toSorted()).toEqual(Object.keys(readConfig({})).toSorted());
  });

  it('has a place in its map for each folder and file of src/, and for nothing else', () => {
    const [, map = ''] = /^src\/\n((?: .*\n)+)/m.exec(sectionOf('The map of the house')) ?? [];
    const places = Array.from(map.matchAll(/^ {2}(\S+)/gm), ([, place]) => place);
    const there = readdirSync(new URL('../src', import.meta.url), { withFileTypes: true });
    expect(places.toSorted()).toEqual(
      there.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).toSorted(),
    );
  });
});

function sectionOf(heading: string): string {
  return readme.split(/^## /m).find((section) => section.startsWith(`${heading}\n`)) ?? '';
}

/** The README's `…` stands for any value. */
function whatever(value: unknown): unknown {
  if (value === '…') return expect.anything();
  if (Array.isArray(value)) return value.map(whatever);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, whatever(inner)]));
}

function reasonWithoutCurl(): string {
  try {
    execFileSync('curl', ['--version']);
    return '';
  } catch {
    return ' (skipped: there is no curl on this machine)';
  }
}
