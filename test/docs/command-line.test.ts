import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/command-line.ts';
import { mainProgram } from '../../src/cli/command-table.ts';
import { commandLineEnvironment, shellCommand } from '../support/gateways/command-line.ts';
import { codeBlocksIn, guides, guideText } from '../support/checks/guides.ts';
import { run } from '../support/package/run.ts';
import { scratch } from '../support/stores/scratch.ts';

const blocks = codeBlocksIn(guideText('command-line'));
/** Each command with the block after it, which shows its output. */
const examples = blocks.flatMap(({ language, code }, index) => {
  const output = blocks[index + 1];
  const isExample = language === 'sh' && !code.includes('--server');
  return isExample && output ? [{ command: code, output: output.code }] : [];
});

describe('the examples of the command line guide', () => {
  it.each(examples)('$command prints the output shown', async ({ command, output }) => {
    await using folder = await scratch();
    const program = join(folder.path, 'bin/rdap-gateway');
    await mkdir(join(folder.path, 'bin'));
    await writeFile(program, `#!/bin/sh\nexec ${shellCommand} "$@"\n`);
    await chmod(program, 0o755);
    const env = commandLineEnvironment(folder.path);
    const PATH = `${join(folder.path, 'bin')}:${env['PATH']}`;
    const { stdout, stderr } = await run('sh', ['-c', command], { env: { ...env, PATH } });
    // What was read of a text.
    expect(stderr).toMatch(/^(?:Read \d+ names\.\n)?$/);
    expect(comparable(stdout)).toEqual(comparable(output));
  });

  it('cover `check`, `whois`, CSV and exit codes', () => {
    const commands = examples.map(({ command }) => command).join('\n');
    for (const part of ['check ', 'whois ', '--csv', '--tlds', '$?'])
      expect([part, commands.includes(part)]).toEqual([part, true]);
  });
});

it('the commands of README, guides and help have valid arguments', () => {
  const inGuides = guides.flatMap(({ text }) => [
    ...text.matchAll(/(?:^|`)(?:rdap-gateway|npm run -s cli --) ([^`|>&\n]+)/gm),
  ]);
  const lines = [
    ...inGuides.map(([, line = '']) => line.replaceAll('"', '')),
    ...Object.values(mainProgram.commands).flatMap((spec) =>
      (spec.examples ?? []).map(([line = '']) => line.replace(/[>&].*/, '')),
    ),
  ];
  expect(lines.length).toBeGreaterThan(15);
  for (const line of lines)
    expect(readCommandLine(mainProgram, line.split(' ').filter(Boolean))).toBeDefined();
});

/** Returns JSON with the types of what differs per run; other text without final line breaks. */
function comparable(text: string): unknown {
  const volatile = ['rdap_endpoint', 'checked_at', 'latency_ms'];
  if (!text.startsWith('{')) return text.replaceAll('\r', '').trimEnd();
  return JSON.parse(text, (key, value: unknown) => (volatile.includes(key) ? typeof value : value));
}
