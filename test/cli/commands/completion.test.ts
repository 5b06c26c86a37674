import { spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  commandLineEnvironment,
  runCommandLine,
  shellCommand,
} from '../../support/gateways/command-line.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { scratch } from '../../support/stores/scratch.ts';

const hasBash = spawnSync('bash', ['--version']).status === 0;
const hasZsh = spawnSync('zsh', ['--version']).status === 0;
const environment = commandLineEnvironment('/tmp');

const folder = await forThisFile(scratch);
const program = join(folder.path, 'rdap-gateway');
await writeFile(program, `#!/bin/sh\nexec ${shellCommand} "$@"\n`);
await chmod(program, 0o755);

const scriptFor = async (shell: string) => {
  const { code, stdout, stderr } = await runCommandLine(['completion', shell], environment);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};

/** Returns what Bash suggests for the last word of a line. */
async function suggestionsOf(line: string): Promise<readonly string[]> {
  const words = ['rdap-gateway', ...line.split(' ')];
  const list = words.map((word) => `'${word}'`).join(' ');
  const script = `${await scriptFor('bash')}\nCOMP_WORDS=(${list}) COMP_CWORD=${words.length - 1}\n_rdap_gateway\nprintf '%s\\n' "\${COMPREPLY[@]}"; [[ $COMP_WORDBREAKS != *@* ]]`;
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
    encoding: 'utf8',
    env: { ...environment, PATH: `${folder.path}:${environment['PATH']}` },
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter(Boolean);
}

describe.skipIf(!hasBash)('the script for Bash (skipped without Bash)', () => {
  it.each([
    [
      '',
      [
        'check',
        'whois',
        'tlds',
        'serve',
        'keys',
        'backup',
        'mcp',
        'completion',
        'watch',
        'unwatch',
        'changes',
        'verify',
        '--help',
        '--version',
      ],
    ],
    ['che', ['check']],
    ['check a.test --j', ['--json']],
    ['check a --tlds @po', ['@popular']],
    ['check a --max-age ', []],
    ['whois --c', []],
    ['keys re', ['revoke']],
    ['completion ', ['bash', 'zsh', 'fish', '--help']],
  ])('completes `%s`', async (line, suggestions) => {
    expect((await suggestionsOf(line)).toSorted()).toEqual(suggestions.toSorted());
  });
});

it.skipIf(!hasZsh)('the script for Zsh is valid (skipped without Zsh)', async () => {
  expect(spawnSync('zsh', ['-n'], { input: await scriptFor('zsh') }).status).toBe(0);
});

it.each(['bash', 'zsh', 'fish'])(
  'the script for %s asks the program what may follow',
  async (shell) => {
    expect(await scriptFor(shell)).toMatch(/rdap-gateway completion words -- /);
  },
);

it('suggestions have descriptions', async () => {
  const args = ['completion', 'words', '--', 'check', 'a', '--c'];
  const { stdout } = await runCommandLine(args, environment);
  expect(stdout).toMatch(/^--csv\tPrint CSV/m);
});
