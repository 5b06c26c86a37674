import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readCommandLine } from '../../src/cli/command-line.ts';
import { mainProgram } from '../../src/cli/command-table.ts';
import { readMaxAge, readNames, readTlds, withHint } from '../../src/cli/name-arguments.ts';
import { parseDomainName } from '../../src/domain/names/domain-name.ts';
import { Problem } from '../../src/domain/problems.ts';
import { tldSets } from '../../src/domain/names/tld-sets.ts';
import { hostOf } from '../../src/domain/text/typed-text.js';
import { openLookups } from '../../src/cli/open-lookups.ts';
import {
  commandLineEnvironment,
  commandLineProgram,
  runCommandLine,
  runProcess,
  shellCommand,
} from '../support/gateways/command-line.ts';
import { startCommand } from '../support/gateways/gateway-process.ts';
import { invalidTexts, joinedTexts, plainTexts } from '../support/bodies/pasted-texts.ts';
import { projectFolder, run } from '../support/package/run.ts';
import { scratch } from '../support/stores/scratch.ts';

const commands =
  'check whois tlds watch unwatch changes verify serve keys backup mcp completion'.split(' ');
const cli = (...args: readonly string[]) => runCommandLine(args, commandLineEnvironment('/tmp'));

/** Returns the names that `check` looks up for a text, or the message. */
function read(text: string): readonly string[] | string {
  try {
    return readNames([text], ['test'], {}).map((name) => parseDomainName(hostOf(name)));
  } catch (error) {
    return error instanceof Problem ? withHint(error, text) : String(error);
  }
}

const ascii = (name: string) => domainToASCII(name.includes('.') ? name : `${name}.test`);

describe('the help', () => {
  it.each([['--help'], ['-h'], ['help']])('lists all commands for %s', async (...args) => {
    const { code, stdout, stderr } = await cli(...args);
    expect([code, stderr]).toEqual([0, '']);
    for (const name of commands) expect(stdout).toMatch(new RegExp(`^  ${name} +[A-Z]`, 'm'));
    expect(stdout).toContain('\nExamples:\n');
  });

  it.each([[['check', '--help']], [['check', 'x.test', '-h']], [['help', 'check']]])(
    'explains the options and exit codes of a command for %s',
    async (args) => {
      const { code, stdout } = await cli(...args);
      expect(code).toBe(0);
      expect(stdout.split('\n')[0]).toBe('Usage: rdap-gateway check NAME… [OPTIONS]');
      for (const option of [
        '--tlds LIST',
        '--max-age N',
        '--json',
        '--csv',
        '--server URL',
        '--key KEY',
      ])
        expect(stdout).toContain(`\n  ${option} `);
      expect(stdout).toMatch(/0 for an available name, 1 for a taken one, 2 .+ 64/);
    },
  );

  it('of `keys` is its own, with this program’s name', async () => {
    for (const args of [
      ['keys', '--help'],
      ['help', 'keys'],
    ]) {
      const { code, stdout } = await cli(...args);
      expect(code).toBe(0);
      expect(stdout.split('\n')[0]).toBe('Usage: rdap-gateway keys COMMAND [OPTIONS]');
    }
  });
});

it.each(['--version', '-v'])('%s prints the version', async (option) => {
  expect(await cli(option)).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
});

describe('invalid usage', () => {
  it.each([
    ['', 'Missing command.'],
    ['chek', 'Unknown command "chek". Did you mean check?'],
    ['check a.test --jsn', 'Unknown option --jsn. Did you mean --json?'],
    ['check a_b', 'NAME: "a_b" is not one label of a domain name'],
    ['bluefox.com', 'To look up a name, run `rdap-gateway check bluefox.com`.'],
    ['bluefox', 'To look up a name, run `rdap-gateway check bluefox`.'],
    ['check a.test --json --csv', 'Use either --json or --csv'],
    ['completion bahs', 'Unknown shell "bahs". Did you mean bash?'],
  ])('`%s` exits with 64 and a message on stderr: %s', async (line, message) => {
    const { code, stdout, stderr } = await cli(...wordsIn(line));
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it.each([
    ['constructor', 'Unknown command "constructor". To look up a name, run'],
    ['keys.com x', 'To look up a name, run `rdap-gateway check keys.com`.'],
    ['--verison', 'Unknown option --verison. Did you mean --version?'],
    ['help chek', 'Did you mean check?'],
    ['check', 'Missing NAME. Run `rdap-gateway check --help`.'],
    ['check a.test --colour', 'Unknown option --colour. Run'],
    ['check a.test --json=x', "Option '--json' does not take an argument."],
    ['check a --tlds', "Option '--tlds <value>' argument missing."],
    ['check a --max-age -1', "Option '--max-age' argument is missing."],
    ['whois', 'Missing NAME.'],
    ['whois a.test b.test', 'Unexpected argument "b.test".'],
    ['whois a.test --csv', 'Unknown option --csv.'],
    ['mcp 4000', 'Unexpected argument "4000".'],
    ['serve 4000', 'Unexpected argument "4000".'],
  ])('`%s` is rejected: %s', (line, message) => {
    expect(() => readCommandLine(mainProgram, wordsIn(line))).toThrow(message);
  });

  it.each([
    [['a_b.test'], undefined, {}, 'NAME: "a_b.test" is not a domain name'],
    [['a_b'], ['test'], {}, 'NAME: "a_b" is not one label'],
    [['192.0.2.1'], undefined, {}, 'is not a domain name such as example.com. whois shows its'],
    [['2001:db8::1'], undefined, {}, 'NAME: "2001:db8::1" is not a domain name'],
    [['my idea'], undefined, {}, 'Did you mean myidea or my-idea? Add a TLD.'],
    [['a'], ['test'], { pattern: ['get'] }, '--pattern must contain {name}, and may contain'],
    [['a'], ['test'], { pattern: ['{name}{word}'] }, '--pattern must contain {name}, and may'],
    [['a'], ['test'], { pattern: ['{name}{digit}{digit}{digit}{digit}'] }, 'up to 3 of {digit}'],
    [
      ['a', 'b'],
      ['test', 'shop.test', 'dev.test'],
      { pattern: ['{name}{letter}{letter}{letter}'] },
      'These are 105,456 names, but one command checks at most 100,000.',
    ],
  ])('the names %j under %j with %j are rejected: %s', (names, tlds, options, message) => {
    expect(() => readNames(names, tlds, options)).toThrow(message);
  });

  describe('a text that the search page reads, too,', () => {
    it.each(plainTexts)('%j is checked as %s, or that is suggested', (text, name) => {
      const names = read(text);
      if (typeof names === 'string') expect(names).toContain(`Did you mean ${name}?`);
      else expect([[ascii(name)], [`www.${ascii(name)}`]]).toContainEqual(names);
    });

    it.each(joinedTexts)('%j is not checked; %s and %s are suggested', (text, name, other) => {
      expect(read(text)).toContain(`Did you mean ${name} or ${other}?`);
    });

    it.each(invalidTexts)('%j is not checked: %s The suggestion is %s', (text, _why, name) => {
      const hint = name === undefined ? 'is not' : `Did you mean ${name}?`;
      expect(read(text)).toContain(hint);
    });

    it('may be a list', () => {
      expect(read('bluefox.dev, blue.fox; redfox.dev')).toEqual([
        'bluefox.dev',
        'blue.fox',
        'redfox.dev',
      ]);
      expect(read('bluefox.dev bluefox.com')).toEqual(['bluefox.dev', 'bluefox.com']);
    });
  });

  it.each([
    ['test,b_c', '--tlds: "b_c" is not a TLD or suffix'],
    ['', '--tlds: "" is not a TLD or suffix'],
    ['@populer', '--tlds: "@populer" is not a set of TLDs. The sets are @popular, @tech,'],
  ])('--tlds "%s" is rejected: %s', async (list, message) => {
    await expect(readTlds([list], tldSets, async () => [])).rejects.toThrow(message);
  });

  it.each(['1.5', '-1', '', 'x', '0x1'])('--max-age "%s" is rejected', (text) => {
    expect(() => readMaxAge(text)).toThrow(
      `--max-age must be a whole number of seconds, 0 or more; got "${text}".`,
    );
  });

  it.each([
    [{ key: 'rgw_1' }, '--key requires --server.'],
    [{ server: 'ftp://a' }, '--server must be an http: or https: URL'],
    [{ server: 'http://a?b' }, '--server must be an http: or https: URL'],
    [{ server: 'http://user:word@a' }, '--server must be an http: or https: URL'],
    [{ server: 'http://:word@a' }, '--server must be an http: or https: URL'],
    [{ server: 'http://a', key: 'é' }, '--key must be an API key'],
  ])('%j is rejected: %s', async (options, message) => {
    const surroundings = { environment: {}, cacheFolder: undefined, streams: process };
    await expect(openLookups(options, surroundings)).rejects.toThrow(message);
  });
});

describe('the exit code of an available name', () => {
  const environment = commandLineEnvironment('/tmp');

  it('is 0 if nobody reads the messages, and 64 without a name', async () => {
    const [program, ...entry] = commandLineProgram;
    const codeOf = async (text: string) => {
      const child = spawn(program, [...entry, 'check', '-'], { env: environment });
      child.stderr.destroy();
      child.stdin.end(text);
      const [code] = await once(child, 'exit');
      return code;
    };
    expect([await codeOf('see new.test'), await codeOf('')]).toEqual([0, 64]);
  });

  it('is 2 after an unexpected error, not that of a taken name', async () => {
    const NODE_OPTIONS = '--import=data:text/javascript,delete%20globalThis.URLSearchParams';
    const ended = await runProcess(['whois', 'new.test'], { ...environment, NODE_OPTIONS });
    expect(ended).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^\w+Error/),
    });
  });

  it.runIf(process.platform === 'linux')(
    'is 2 if its result can no longer be kept, as on a full disk',
    async () => {
      await using folder = await scratch();
      const command = `ulimit -f 1; exec ${shellCommand} check - --resume ${join(folder.path, 'r')}`;
      const names = Array.from({ length: 20 }, (_, at) => `new${at}.test`).join(' ');
      const { code, stderr } = await run('bash', ['-c', `${command} <<< '${names}'`], {
        env: environment,
      });
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('--resume: the results can no longer be kept: file too large\n'),
      ]);
    },
  );
});

const wordsIn = (line: string) => line.split(' ').filter(Boolean);

it('`keys` manages keys like `npm run keys`, with its exit codes', async () => {
  await using folder = await scratch();
  const env = { ...commandLineEnvironment(folder.path), STORE_URL: folder.storeUrl };
  const created = await runProcess(['keys', 'create', '--name', 'App', '--json'], env);
  expect(JSON.parse(created.stdout)).toMatchObject({ name: 'App', key: expect.any(String) });
  expect((await runCommandLine(['keys', 'list'], env)).stdout).toContain('App');
  expect((await runProcess(['keys', 'revoke', 'none'], env)).code).toBe(1);
  expect((await runCommandLine(['keys', 'list', '--foo'], env)).code).toBe(2);
});

/** Starts `rdap-gateway serve`. */
const serve = (env: Readonly<Record<string, string>>) => {
  const [program, ...entry] = commandLineProgram;
  const settings = { ...commandLineEnvironment('/tmp'), STORE_URL: 'memory:', PORT: '0', ...env };
  return startCommand(program, [...entry, 'serve'], { cwd: projectFolder, env: settings });
};

describe('`serve`', () => {
  it('starts the gateway, which stops at SIGTERM', async () => {
    await using gateway = serve({});
    const { url } = await gateway.logged('listening');
    const { results } = await (await fetch(`${url}/v1/status?domain=taken.test`)).json();
    expect(results).toMatchObject([{ available: false }]);
    gateway.kill('SIGTERM');
    expect((await gateway.ended).code).toBe(0);
  });

  it('exits with 2 for an invalid setting, like `npm start`', async () => {
    await using gateway = serve({ PORT: 'x' });
    expect(await gateway.ended).toMatchObject({ code: 2, stderr: expect.stringMatching(/^PORT /) });
  });
});

it('`npm run cli` runs the program from the repository', async () => {
  const { code, stdout } = await run('npm', ['run', '-s', 'cli', '--', '--version']);
  expect([code, stdout]).toEqual([0, `${packageJson.version}\n`]);
});
