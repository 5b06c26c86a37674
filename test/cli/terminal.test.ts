import { stripVTControlCharacters, styleText } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  commandLineEnvironment,
  runProcess,
  shellCommand,
} from '../support/gateways/command-line.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { json } from '../support/bodies/replies.ts';
import { startScriptedServer } from '../support/servers/scripted-server.ts';
import { scratch } from '../support/stores/scratch.ts';
import { hasTerminal, openTerminal } from '../support/gateways/terminal.ts';

const folder = await forThisFile(scratch);

const open = (line: string, env: Readonly<Record<string, string>> = {}) =>
  openTerminal(`${shellCommand} ${line}`, { ...commandLineEnvironment(folder.path), ...env });

// oxlint-disable no-control-regex

/** Returns what remains visible: a line after a carriage return and an erase sequence. */
const visibleIn = (output: string): string =>
  stripVTControlCharacters(output.replaceAll(/[^\n\r]*\u001b\[1G\u001b\[2K/g, '')).replaceAll(
    '\r',
    '',
  );

const styled = (style: Parameters<typeof styleText>[0], text: string) =>
  styleText(style, text, { validateStream: false });

describe.skipIf(!hasTerminal)('on a terminal (skipped without `script` of util-linux)', () => {
  it('`check` shows coloured rows as they arrive, then a summary', async () => {
    const terminal = open('check slow.test new.test html.test Bücher.test');
    const early = await terminal.shown(/html/);
    expect(early).not.toMatch(/slow\.test/);
    expect(early).toContain(styled('green', 'available'));
    const { code, output } = await terminal.ended;
    expect(code).toBe(2);
    expect(output).toContain(styled('red', 'registered'));
    expect(visibleIn(output).split('\n')).toEqual([
      ...['new.test ', 'html.test ', 'bücher.test'].map((name) => expect.stringContaining(name)),
      'slow.test    registered',
      '',
      '2 available, 1 taken, 1 without a verdict',
      '',
    ]);
    expect(visibleIn(output)).toMatch(
      /^html\.test +unknown +The registry sent a 404 that is not an RDAP response\. \(untrusted_answer\)$/m,
    );
    expect(visibleIn(output)).toMatch(/^bücher\.test \(xn--bcher-kva\.test\) +available$/m);
  });

  it('one row has no summary, and NO_COLOR switches colours off', async () => {
    const { code, output } = await open('check taken.test', { NO_COLOR: '1' }).ended;
    expect([code, visibleIn(output)]).toEqual([1, 'taken.test  registered\n']);
    expect(output).not.toMatch(/\u001b\[[\d;]*m/);
  });

  it('a verdict from a WHOIS text says so, and a text that is not a name what it may mean', async () => {
    const texts = "free.whois-only.test 'my idea.test' https://a_b.test/";
    const { output } = await open(`check ${texts}`).ended;
    expect(visibleIn(output)).toMatch(/available +heuristic, from a WHOIS text$/m);
    expect(visibleIn(output)).toMatch(
      /^my idea\.test +invalid +.+ Did you mean myidea\.test or my-idea\.test\? \(invalid_name\)$/m,
    );
    expect(visibleIn(output)).toMatch(/^a_b\.test .+ Did you mean ab\.test or a-b\.test\?/m);
  });

  it('--json and --csv print the same as in a pipe', async () => {
    const { output: ndjson } = await open('check taken.test --json').ended;
    expect(JSON.parse(ndjson)).toMatchObject({ input: 'taken.test', available: false });
    const { output: csv } = await open('check taken.test --csv').ended;
    expect(csv).toMatch(/^index,input,.+\r\r\n0,taken\.test,/);
  });

  it('a long list is grouped by verdict at the end', async () => {
    const names = Array.from({ length: 10 }, (_, at) => `new${at}.test`).join(' ');
    const { output } = await open(`check ${names} taken.test html.test`).ended;
    const lines = visibleIn(output).trim().split('\n').slice(-4);
    expect(lines).toEqual([
      `Available: ${names.split(' ').join(', ')}`,
      'Taken: taken.test',
      'Without a verdict: html.test',
      '10 available, 1 taken, 1 without a verdict',
    ]);
  });

  it('the progress is on stderr, also if the output is a file, and not with one name', async () => {
    const { output } = await open('check new.test html.test > /dev/null').ended;
    expect(output).toContain(styled('dim', '1 of 2'));
    expect(visibleIn(output)).toBe('');
    expect((await open('check new.test > /dev/null').ended).output).toBe('');
  });

  it('Ctrl-C ends the lookups and clears the line of the progress', async () => {
    const terminal = open('check new.test hang.test', { RDAP_TIMEOUT_MS: '60000' });
    await terminal.shown(/1 of 2/);
    terminal.interrupt();
    const { code, output } = await terminal.ended;
    expect(code).toBe(130);
    expect(visibleIn(output)).toMatch(/^new\.test +available\n$/);
  });

  it('`check --csv` has no control characters of a name or of a gateway', async () => {
    const status = 'x\u001b[2J\r\u202e\r\ny';
    const row = { index: 0, input: 'a.test', domain: 'a.test', available: null, status };
    await using server = await startScriptedServer(() => json(200, row));
    const { output } = await open(`check a.test --csv --server ${server.baseUrl}`).ended;
    expect(output).toMatch(/^0,a\.test,a\.test,,,"x\ufffd\[2J\ufffd\ufffd\r*\ny"/m);
    const { output: own } = await open("check 'a\u001b.test' new.test --csv").ended;
    expect(own).toMatch(/0,a\ufffd\.test,a\ufffd\.test,/);
  });

  it.each(['', '--csv'])('`tlds %s` has no control characters of a gateway', async (format) => {
    const tld = { tld: 'a', sources: [], proves_available: true, policy: 'x\u001b[2J\u009b2J' };
    await using server = await startScriptedServer(() =>
      json(200, { tlds: [{ ...tld, publishes: {} }] }),
    );
    const { output } = await open(`tlds ${format} --server ${server.baseUrl}`).ended;
    expect(output).toContain('x�[2J�2J');
  });

  it('`whois` dims its terms', async () => {
    const { output } = await open('whois new.test').ended;
    expect(output).toContain(`${styled('dim', 'Status       ')}available`);
  });
});

it('FORCE_COLOR colours the record in a pipe, which has no colours otherwise', async () => {
  const env = commandLineEnvironment(folder.path);
  const plain = await runProcess(['whois', 'new.test'], env);
  expect(plain.stdout).toBe(stripVTControlCharacters(plain.stdout));
  const colored = await runProcess(['whois', 'new.test'], { ...env, FORCE_COLOR: '1' });
  expect(colored.stdout).toContain(styled('dim', 'Status       '));
});
