import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { bashScript, zshScript, fishScript } from '../../src/cli/completion.ts';
import { commandLineEnvironment, runCommandLine } from '../support/command-line.ts';

const hasBash = spawnSync('bash', ['--version']).status === 0;
const hasZsh = spawnSync('zsh', ['--version']).status === 0;

/** Returns what Bash suggests for the last word of a line. */
function suggestionsOf(line: string): readonly string[] {
  const words = ['rdap-gateway', ...line.split(' ')];
  const list = words.map((word) => `'${word}'`).join(' ');
  const script = `${bashScript()}\nCOMP_WORDS=(${list}) COMP_CWORD=${words.length - 1}\n_rdap_gateway\nprintf '%s\\n' "\${COMPREPLY[@]}"; [[ $COMP_WORDBREAKS != *@* ]]`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter(Boolean);
}

describe.skipIf(!hasBash)('the script for Bash (skipped without Bash)', () => {
  it.each([
    ['', ['check', 'whois', 'serve', 'keys', 'backup', 'mcp', 'completion', '--help', '--version']],
    ['che', ['check']],
    ['check a.test --j', ['--json']],
    ['check a --tlds @po', ['@popular']],
    ['check a --max-age ', []],
    ['whois --c', []],
    ['keys re', ['revoke']],
    ['completion ', ['bash', 'zsh', 'fish', '--help']],
  ])('completes `%s`', (line, suggestions) => {
    expect(suggestionsOf(line)).toEqual(suggestions);
  });
});

it.skipIf(!hasZsh)('the script for Zsh is valid (skipped without Zsh)', () => {
  expect(spawnSync('zsh', ['-n'], { input: zshScript() }).status).toBe(0);
});

describe.each([
  ['zsh', zshScript(), /'--tlds\[[^\]]+\]:LIST:\(@popular /],
  ['fish', fishScript(), /from check' -l tlds -x -a '@popular /],
] as const)('the script for %s', (shell, script, tlds) => {
  it('contains all commands, options and sets of TLDs', () => {
    for (const name of [
      'check',
      'whois',
      'serve',
      'keys',
      'backup',
      'mcp',
      'completion',
      'max-age',
      'csv',
    ])
      expect(script).toContain(name);
    expect(script).toMatch(tlds);
    expect(script).toMatch(/create list usage set rotate revoke/);
  });

  it('is printed by `completion`', async () => {
    const printed = await runCommandLine(['completion', shell], commandLineEnvironment('/tmp'));
    expect(printed).toEqual({ code: 0, stdout: script, stderr: '' });
  });
});
