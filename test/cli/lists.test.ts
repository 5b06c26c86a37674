import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tldSets } from '../../src/domain/names/tld-sets.ts';
import { csvColumns } from '../../src/shared/csv.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { commandLineEnvironment, runCommandLine } from '../support/gateways/command-line.ts';
import { bootstrapOf, writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { html, registered } from '../support/bodies/replies.ts';
import { scratch } from '../support/stores/scratch.ts';

const folder = await forThisFile(scratch);

const cli = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCommandLine(args, { ...commandLineEnvironment(folder.path), ...env });

const rowsIn = (stdout: string): readonly Json[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .toSorted((a, b) => a.index - b.index);

const namesIn = (stdout: string) => rowsIn(stdout).map(({ domain }) => domain);

const writeList = async (name: string, text: string | Buffer) => {
  const path = join(folder.path, name);
  await writeFile(path, text);
  return path;
};

/** Runs `check` with a text as its stdin. */
const checkStdin = (text: string, ...args: readonly string[]) =>
  runCommandLine(['check', ...args], commandLineEnvironment(folder.path), { stdin: text });

describe('a list of names', () => {
  it('is read from stdin, one name a line, without empty lines and comments', async () => {
    const text = '\u{feff}taken.test\r\n\r\n# later\n  new.test  \nnot a name\n';
    const { code, stdout } = await checkStdin(text, '-', 'last.test');
    expect(code).toBe(2);
    expect(namesIn(stdout)).toEqual(['taken.test', 'new.test', 'not a name', 'last.test']);
  });

  it('is read from a file, whose labels are checked under --tlds and full names as they are', async () => {
    const file = await writeList('names.txt', 'one\ntwo.dev.test\n');
    const { code, stdout } = await cli(['check', '--file', file, '--tlds', 'test,shop.test']);
    expect([code, namesIn(stdout)]).toEqual([0, ['one.test', 'one.shop.test', 'two.dev.test']]);
  });

  it('is read from a file in UTF-16, as Windows PowerShell writes it', async () => {
    const file = await writeList('utf16.txt', Buffer.from('\u{feff}taken.test\r\n', 'utf16le'));
    const { code, stdout } = await cli(['check', '--file', file]);
    expect([code, namesIn(stdout)]).toEqual([1, ['taken.test']]);
  });

  it('is read as one text, which may be a list of a chat assistant or a table', async () => {
    const list = await writeList(
      'chat.md',
      'Ideas:\n1. **taken.test** – short\n2. New.test (good)\n',
    );
    const { code, stdout, stderr } = await cli(['check', '--file', list]);
    expect([code, namesIn(stdout)]).toEqual([0, ['taken.test', 'new.test']]);
    expect(stderr).toContain('Read 2 names. Left out: 1 line without a name.');
    const table = await checkStdin('Name;Price\ntaken.test;12\nnew.test;9\n', '-');
    expect(namesIn(table.stdout)).toEqual(['taken.test', 'new.test']);
  });

  it('may have words of millions of characters, which are no names, and more lines than arguments fit', async () => {
    const words = ['a1', '漢', '😀', 'é\u0301', ':'].map((part) => part.repeat(4_000_000));
    const long = await checkStdin(`${words.join('\n')}\nnew.test\n`, '-');
    expect(namesIn(long.stdout)).toContain('new.test');
    const listed = await checkStdin('- new.test\n'.repeat(150_000), '-');
    expect([listed.code, namesIn(listed.stdout)]).toEqual([0, ['new.test']]);
    const inOneLine = await checkStdin('1. new.test '.repeat(150_000), '-');
    expect([inOneLine.code, namesIn(inOneLine.stdout)]).toEqual([0, ['new.test']]);
  });

  it('has labels without --tlds under @popular, if they are few', async () => {
    await using registry = await startFakeRegistry();
    const popular = tldSets['popular']?.tlds ?? [];
    const servers = Object.fromEntries(popular.map((tld) => [tld, registry.baseUrl]));
    await using file = await writeBootstrap(bootstrapOf(servers));
    const SETS_FILE = await writeList('own.json', '{ "Own": ["test"] }');
    const { stdout } = await cli(['check', 'fox'], { RDAP_BOOTSTRAP_URL: file.url, SETS_FILE });
    expect(namesIn(stdout)).toEqual(popular.map((tld) => `fox.${tld}`));
    const labels = Array.from({ length: 21 }, (_, index) => `fox${index}`);
    const { code, stderr } = await cli(['check', ...labels]);
    expect(code).toBe(64);
    expect(stderr).toContain('21 names without a TLD. Add --tlds');
  });

  it('has the name that was probably meant for a TLD that does not exist', async () => {
    const { code, stdout } = await cli(['check', 'bluefox.con', 'new.test']);
    expect([code, rowsIn(stdout)[0]]).toMatchObject([
      2,
      { domain: 'bluefox.con', available: null, did_you_mean: ['bluefox.com'] },
    ]);
  });

  it.each([
    ['without names', '# none\n', 'The list contains no names.'],
    ['that does not exist', undefined, '--file must name a readable file.'],
  ])('%s is rejected', async (what, text, message) => {
    const file = text === undefined ? '/nonexistent' : await writeList(`${what}.txt`, text);
    expect(await cli(['check', '--file', file])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining(message),
    });
  });

  it('may contain host names, URLs and e-mail addresses, as the search page accepts them', async () => {
    const inputs = [
      'https://www.taken.test/path?q=1',
      'www.new.test',
      'joe@mail.reserved.test',
      'mailto:joe@other.test',
      'TAKEN.test.',
    ];
    const { code, stdout } = await cli(['check', ...inputs]);
    expect(code).toBe(0);
    expect(
      rowsIn(stdout).map(({ input, domain, available }) => [input, domain, available]),
    ).toEqual([
      [inputs[0], 'taken.test', false],
      [inputs[1], 'new.test', true],
      [inputs[2], 'reserved.test', false],
      [inputs[3], 'other.test', true],
      [inputs[4], 'taken.test', false],
    ]);
  });

  it('looks up none of the names that a text may mean which is none', async () => {
    const inputs = ['my idea.test', 'i💡dea.test', 'https://a_b.test/', 'taken.test, new.test'];
    const { code, stdout } = await cli(['check', ...inputs]);
    expect(code).toBe(2);
    expect(rowsIn(stdout).map(({ input, available }) => [input, available])).toEqual([
      [inputs[0], null],
      [inputs[1], null],
      [inputs[2], null],
      ['taken.test', false],
      ['new.test', true],
    ]);
    expect(await cli(['check', 'my idea', '--tlds', 'test'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('Did you mean myidea or my-idea?'),
    });
  });

  it('exits with the verdict of the name to which a single host name belongs', async () => {
    expect((await cli(['check', 'https://taken.test/'])).code).toBe(1);
    expect((await cli(['check', 'www.new.test'])).code).toBe(0);
    expect((await cli(['check', 'https://a_b.test/'])).code).toBe(64);
  });
});

describe('variants of a label', () => {
  it('checks each name of an argument, also one that looks like an ID', async () => {
    const id = '6f1ed002ab5595859014ebf0951522d9';
    const { stdout } = await cli(['check', `new.test, index.test, ${id}`, '--tlds', 'test']);
    expect(namesIn(stdout).toSorted()).toEqual([`${id}.test`, 'index.test', 'new.test']);
  });

  it('have the prefixes and suffixes, and none', async () => {
    const options = ['--prefix', 'get,my', '--suffix', 'app', '--tlds', 'test'];
    const { stdout } = await cli(['check', 'fox', ...options]);
    expect(namesIn(stdout)).toEqual(
      ['fox', 'foxapp', 'getfox', 'getfoxapp', 'myfox', 'myfoxapp'].map((label) => `${label}.test`),
    );
  });

  it('follow patterns, also those of a full name', async () => {
    const patterns = ['--pattern', 'get{name}', '--pattern', '{name}{digit}'];
    const { stdout } = await cli(['check', 'fox.test', ...patterns]);
    const digits = Array.from('0123456789', (digit) => `fox${digit}.test`);
    expect(namesIn(stdout)).toEqual(['getfox.test', ...digits]);
  });
});

it.each(['--json', '--csv'])('--available prints only available names with %s', async (format) => {
  const names = ['taken.test', 'new.test', 'down.test'];
  const { code, stdout } = await cli(['check', ...names, '--available', format]);
  expect(code).toBe(2);
  const lines = stdout.trim().split(/\r?\n/);
  const header = format === '--csv' ? [csvColumns.join(',')] : [];
  expect(lines).toEqual([...header, expect.stringContaining('new.test')]);
});

describe('sets of TLDs', () => {
  it('contain those of SETS_FILE, by their titles', async () => {
    const SETS_FILE = await writeList('sets.json', '{ "My brands": [".test", "SHOP.test"] }');
    const { code, stdout } = await cli(['check', 'fox', '--tlds', '@my-brands'], { SETS_FILE });
    expect([code, namesIn(stdout)]).toEqual([0, ['fox.test', 'fox.shop.test']]);
  });

  it('are rejected if SETS_FILE has an error', async () => {
    const SETS_FILE = await writeList('sets.json', '{ "Popular": ["com"] }');
    const { code, stderr } = await cli(['check', 'fox', '--tlds', 'test'], { SETS_FILE });
    expect([code, stderr]).toEqual([64, expect.stringContaining('@popular is a built-in set')]);
    expect(stderr).toContain('SETS_FILE must name a valid JSON file');
  });

  it('contain @all: every TLD in which somebody may register names', async () => {
    await using registry = await startFakeRegistry();
    registry.on('fox.com', registered('fox.com'));
    const rdap = [registry.baseUrl];
    // Without the built-in servers, which are on the internet.
    const none = { rdap: null, das: null, whois: null, dns: null };
    await using sources = await writeBootstrap({
      suffixes: { '': none, com: { rdap }, bmw: { rdap }, example: { rdap } },
    });
    const { stdout } = await cli(['check', 'fox', '--tlds', '@all'], {
      SOURCES_FILE: sources.path,
    });
    const names = namesIn(stdout);
    expect(names).toContain('fox.com');
    expect(names).toContain('fox.example');
    expect(names).not.toContain('fox.bmw');
  });
});

/** Returns a line of results, in which the answer about `sold.example` is an hour older. */
function withOldSold(line: string): string {
  const row = JSON.parse(line);
  if (row.input !== 'sold.example') return line;
  const checkedAt = Date.parse(row.checked_at) - 61 * 60_000;
  return JSON.stringify({ ...row, checked_at: new Date(checkedAt).toISOString() });
}

describe('--resume', () => {
  it('keeps the results in a file, and looks up only names without a verdict again', async () => {
    await using registry = await startFakeRegistry();
    await using bootstrap = await writeBootstrap(bootstrapOf({ example: registry.baseUrl }));
    registry.on('taken.example', registered('taken.example'));
    registry.on('down.example', html(500));
    const env = { RDAP_BOOTSTRAP_URL: bootstrap.url };
    const path = join(folder.path, 'results.ndjson');
    const names = ['taken.example', 'down.example', 'new.example'];
    const check = () => cli(['check', ...names, '--resume', path, '--max-age', '0'], env);
    expect((await check()).code).toBe(2);
    const lookedUp = ['taken.example', 'new.example'].map((name) => registry.requestCount(name));
    // The line of a run that was killed.
    await appendFile(path, '{"index":2,"inp');
    registry.on('down.example', registered('down.example'));
    const { code, stdout } = await check();
    expect(code).toBe(0);
    expect(rowsIn(stdout).map(({ input, available }) => [input, available])).toEqual([
      ['taken.example', false],
      ['down.example', false],
      ['new.example', true],
    ]);
    expect(['taken.example', 'new.example'].map((name) => registry.requestCount(name))).toEqual(
      lookedUp,
    );
    const lines = (await readFile(path, 'utf8')).trim().split('\n');
    expect(lines.at(-1)).toContain('"down.example"');
    expect((await check()).stdout.trim().split('\n')).toHaveLength(3);
  });

  it('looks up again what was available more than an hour ago', async () => {
    await using registry = await startFakeRegistry();
    await using bootstrap = await writeBootstrap(bootstrapOf({ example: registry.baseUrl }));
    registry.on('nic.example', registered('nic.example'));
    const env = { RDAP_BOOTSTRAP_URL: bootstrap.url };
    const path = join(folder.path, 'earlier.ndjson');
    const args = ['check', 'new.example', 'sold.example', '--resume', path, '--max-age', '0'];
    const check = async () => {
      const { stdout } = await cli(args, env);
      return rowsIn(stdout).map(({ available, cached }) => [available, cached]);
    };
    expect(await check()).toEqual([
      [true, false],
      [true, false],
    ]);
    registry.on('sold.example', registered('sold.example'));
    expect(await check()).toEqual([
      [true, true],
      [true, true],
    ]);
    const lines = (await readFile(path, 'utf8')).trim().split('\n');
    await writeFile(path, `${lines.map(withOldSold).join('\n')}\n`);
    expect(await check()).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  it('is rejected if the file holds something else, such as the list itself', async () => {
    const path = join(folder.path, 'names.txt');
    await writeFile(path, 'a.test\n');
    const { code, stderr } = await cli(['check', 'a.test', '--resume', path]);
    expect([code, stderr]).toEqual([64, expect.stringContaining('has other content')]);
    expect(await readFile(path, 'utf8')).toBe('a.test\n');
  });

  it('is rejected if the file cannot be written', async () => {
    const { code, stderr } = await cli(['check', 'a.test', '--resume', '/nonexistent/a']);
    expect(code).toBe(64);
    expect(stderr).toEqual(
      expect.stringMatching(/^--resume must name a file that can be written\. /),
    );
  });
});

describe('`tlds`', () => {
  it('lists TLDs as in the REST API, in this process and at a gateway', async () => {
    await using gateway = await startGateway();
    const { tlds } = await gateway.get('/v1/tlds?limit=10000');
    const { code, stdout } = await cli(['tlds', '--server', gateway.url]);
    expect(code).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(tlds);
    const local = await cli(['tlds', 'uk', '--json']);
    expect(JSON.parse(local.stdout)).toMatchObject({ tld: 'uk', policy: expect.any(String) });
  });

  it('prints CSV', async () => {
    const { code, stdout } = await cli(['tlds', 'bmw', 'com', '--csv']);
    const [header = '', bmw = '', com = ''] = stdout.split('\r\n');
    expect(code).toBe(0);
    expect(header).toBe(
      'tld,type,rdap,registry_host,proves_available,policy,policy_detail,policy_date,scripts,launch,sources,registrar,created,expires,nameservers,registrant',
    );
    expect(bmw).toMatch(/^bmw,gtld,.*,true,brand,"?Only the brand/);
    expect(com).toMatch(/^com,gtld,true,rdap\.verisign\.com,true,.*,rdap/);
  });

  it('rejects what is no TLD', async () => {
    const { code, stderr } = await cli(['tlds', 'com', 'zz']);
    expect([code, stderr]).toEqual([64, 'TLD: names under zz cannot be looked up.\n']);
  });
});

describe('without a network', () => {
  const offline = { RDAP_BOOTSTRAP_URL: 'https://host.invalid/dns.json' };

  it.each([
    ['check', 'name.com', 'name.net'],
    ['whois', 'name.com'],
    ['whois', '8.8.8.8'],
  ])('`%s %s` says so instead of blaming registries', async (...args) => {
    await using own = await scratch();
    const env = { ...offline, XDG_CACHE_HOME: own.path };
    const { code, stdout, stderr } = await cli(args, env);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^You are offline: /);
  });

  it('names under .test are looked up all the same', async () => {
    const { code, stdout } = await cli(['check', 'taken.test', 'down.test'], offline);
    expect(code).toBe(2);
    expect(rowsIn(stdout).map(({ status }) => status)).toEqual(['registered', 'unknown']);
  });
});
