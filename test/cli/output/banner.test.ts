import { stripVTControlCharacters, styleText } from 'node:util';
import { describe, expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { readConfig } from '../../../src/config.ts';
import { banner } from '../../../src/cli/output/banner.ts';
import { bootstrapOf, startBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { sourcesWithoutDns } from '../../support/gateways/gateway-process.ts';
import {
  hasTerminal,
  openPipe,
  openTerminal,
  type Screen,
} from '../../support/gateways/terminal.ts';

const unreachable = 'http://127.0.0.1:1/dns.json';
const command = `'${process.execPath}' --import ./src/require-node.mjs src/main.ts`;

interface OpenGateway extends AsyncDisposable {
  readonly shown: Screen['shown'];
}

/** Runs the gateway in a shell, or with its output on a pseudo-terminal. */
function open(env: Readonly<Record<string, string>>, onTerminal: boolean): OpenGateway {
  const start = onTerminal ? openTerminal : openPipe;
  const { shown, ended, interrupt } = start(command, {
    PORT: '0',
    STORE_URL: 'memory:',
    SOURCES_FILE: sourcesWithoutDns,
    RDAP_ALLOW_PRIVATE: 'true',
    RDAP_BOOTSTRAP_URL: unreachable,
    ...env,
  });
  return {
    shown,
    async [Symbol.asyncDispose]() {
      interrupt();
      await ended;
    },
  };
}

const ready = /Ctrl-C to stop/;
const urlIn = (output: string, name: string) =>
  new RegExp(`${name} +(http\\S+)`).exec(stripVTControlCharacters(output))?.[1] ?? '';

describe.skipIf(!hasTerminal)('on a terminal (skipped without `script` of util-linux)', () => {
  it('the gateway shows its version, store, URLs, key policy, TLDs and network', async () => {
    await using terminal = open({}, true);
    const output = await terminal.shown(ready);
    const text = stripVTControlCharacters(output);
    expect(text).toContain(`RDAP Gateway ${packageJson.version} · Node.js`);
    expect(text).toContain('in memory');
    expect(text).toMatch(/Keys +not needed from this machine/);
    for (const name of ['Search', 'GraphiQL', 'Docs']) {
      const response = await fetch(urlIn(output, name), { headers: { accept: 'text/html' } });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toContain('text/html');
    }
    const { total_tlds } = await (await fetch(`${urlIn(output, 'Search')}v1/coverage`)).json();
    expect(text).toMatch(
      new RegExp(`TLDs +${total_tlds.toLocaleString('en')} can .* the built-in list of 2\\d{3}-`),
    );
    expect(text).toMatch(/Network +not reachable: no response from 127\.0\.0\.1:1/);
  });

  it('log lines are readable, in colour, and have no stack trace without a network', async () => {
    await using terminal = open({}, true);
    const output = await terminal.shown(ready);
    expect(output).toContain(styleText('yellow', 'warn ', { validateStream: false }));
    const text = stripVTControlCharacters(output);
    expect(text).toMatch(/^\d\d:\d\d:\d\d warn {2}Failed to load the bootstrap document\./m);
    expect(text).not.toMatch(/^\{|^ +at /m);
  });

  it('the network is reachable if the bootstrap document was loaded', async () => {
    await using bootstrap = await startBootstrap(bootstrapOf({ com: 'https://rdap.invalid/' }));
    await using terminal = open({ RDAP_BOOTSTRAP_URL: bootstrap.documentUrl }, true);
    const text = stripVTControlCharacters(await terminal.shown(ready));
    expect(text).toMatch(/Network +reachable/);
    expect(text).toContain(`can be looked up; RDAP servers from ${bootstrap.documentUrl} of`);
  });

  it('LOG_FORMAT=json keeps JSON lines', async () => {
    await using terminal = open({ LOG_FORMAT: 'json' }, true);
    const output = await terminal.shown(/"msg":"listening"\}\r?\n/);
    // The network may fail before the gateway listens, or after it.
    const lines = output.split(/\r?\n/).slice(0, -1);
    const messages = lines.map((line) => JSON.parse(line).msg);
    expect(messages).toContain('listening');
  });
});

it('LOG_FORMAT=pretty shows the banner without colours if stdout is not a terminal', async () => {
  await using pipe = open({ LOG_FORMAT: 'pretty', GRAPHIQL: 'off', AUTH: 'required' }, false);
  const output = await pipe.shown(ready);
  expect(output).toBe(stripVTControlCharacters(output));
  expect(output).toMatch(/GraphiQL +disabled/);
  expect(output).toMatch(/Keys +always required/);
});

/** Returns the banner of a gateway with this store. */
const bannerWith = (storeUrl: string, warnings: readonly string[] = []) =>
  banner({
    warnings,
    version: '1.2.3',
    nodeVersion: '26.0.0',
    config: readConfig({ STORE_URL: storeUrl }),
    url: 'https://api.example',
    coverage: {
      tlds: 1,
      bootstrap: { source: 'built-in', publishedAt: null },
      isNetworkReachable: undefined,
    },
  });

it('the banner contains the place of the store, without user name, password and parameters', () => {
  const text = bannerWith(
    'postgres://ann:hidden-value@db.example:5432/gateway?password=hidden-value',
  );
  expect(text).toContain('PostgreSQL db.example:5432/gateway\n');
  expect(text).not.toMatch(/hidden-value|ann/);
  expect(bannerWith('sqlite:./data/gateway.db')).toContain('SQLite ./data/gateway.db\n');
});

it('the banner ends with warnings, if there are any', () => {
  expect(stripVTControlCharacters(bannerWith('memory:', ['Change this.']))).toMatch(
    /Network .*\n {2}Warning {3}Change this\.\n\n/,
  );
  expect(bannerWith('memory:')).not.toContain('Warning');
});
