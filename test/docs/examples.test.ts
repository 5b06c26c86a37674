import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/command-line.ts';
import { keysProgram } from '../../src/cli/keys/run-keys.ts';
import { readOverrides } from '../../src/registries/directory/bootstrap-parser.ts';
import { parseSourcesFile } from '../../src/registries/directory/sources-file.ts';
import { csvHeader } from '../../src/shared/csv.ts';
import { parseHostLimits } from '../../src/outbound/queues/host-limits.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { parseCsv } from '../support/requests/csv.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { codeBlocksIn, guides, guideText } from '../support/checks/guides.ts';

const run = promisify(execFile);
const noCurl = reasonWithoutCurl();
const printedUrl = 'http://127.0.0.1:4000';

/** Each program with the block after it and its variants, which shows its output. */
const programs = guides.flatMap(({ path, text }) => {
  const blocks = codeBlocksIn(text);
  return blocks.map(({ language, title, code }, index) => {
    const output = blocks.slice(index + 1).find((block) => block.title === '')?.code ?? '';
    return { path, language, title, code, output };
  });
});

const examples = programs
  .filter(({ code }) => code.startsWith('curl '))
  .map(({ path, code: command, output }) => ({ path, command, output }));

/** The variants of curl examples in other languages. */
const variants = programs.filter(({ title }) => ['JavaScript', 'Python'].includes(title));

const shellLines = guides.flatMap(({ text }) =>
  codeBlocksIn(text)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.split('\n')),
);

describe.skipIf(noCurl)(`the curl examples of README and guides${noCurl}`, () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it.each(examples)('$path: $command prints the output shown', async ({ command, output }) => {
    const { stdout } = await run('sh', ['-c', command.replaceAll(printedUrl, gateway.url)]);
    expect(comparable(stdout)).toEqual(comparable(output.replaceAll(printedUrl, gateway.url)));
  });

  it('cover GraphQL, REST, subscriptions, NDJSON and CSV', () => {
    const commands = examples.map(({ command }) => command);
    for (const part of ['/graphql', '/v1/status?', '/v1/rdap', 'event-stream', 'ndjson', 'csv'])
      expect([part, commands.some((command) => command.includes(part))]).toEqual([part, true]);
    const inReadme = examples.filter(({ path }) => path === 'README.md');
    expect(inReadme.length).toBe(3);
  });
});

describe('the examples of guides in other languages', () => {
  it.for(variants)('$path: $code prints the output shown', async (example, context) => {
    await using gateway = await startGateway();
    const code = example.code.replaceAll(printedUrl, gateway.url);
    const [program, ...options]: [string, ...string[]] =
      example.language === 'python'
        ? ['python3', '-c', code]
        : [process.execPath, '--input-type=module', '--eval', code];
    const { stdout } = await run(program, options).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
      return context.skip(`There is no ${program} on this machine.`);
    });
    expect(comparable(stdout)).toEqual(
      comparable(example.output.replaceAll(printedUrl, gateway.url)),
    );
  });

  it('exist for JavaScript and Python', () => {
    expect(new Set(variants.map(({ language }) => language))).toEqual(new Set(['js', 'python']));
  });
});

describe('the other commands of README and guides', () => {
  it('use valid forms of the keys command', () => {
    const uses = shellLines.flatMap((line) => /\bkeys(?:\.ts| --) (.+)/.exec(line)?.[1] ?? []);
    expect(uses.length).toBeGreaterThan(6);
    for (const use of uses) expect(readCommandLine(keysProgram, use.split(' '))).toBeDefined();
  });

  it('use npm scripts that exist', () => {
    const inText = guides.flatMap(({ text }) => text.match(/npm run (?:-s )?\w+/g) ?? []);
    const names = inText.map((command) => command.split(' ').at(-1) ?? '');
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !(name in packageJson.scripts))).toEqual([]);
  });

  it('show the version of this package in the start banner', () => {
    const banner = codeBlocksIn(guideText('getting-started')).find(({ code }) =>
      code.startsWith('RDAP Gateway '),
    );
    expect(banner?.code).toMatch(`RDAP Gateway ${packageJson.version} `);
  });

  it('start the gateway like `npm start`', () => {
    expect(shellLines).toContain(packageJson.scripts.start);
  });

  it('show files that the gateway accepts', () => {
    expect(readOverrides(configurationExample('Overrides')).get('example')?.trust404).toBe(true);
    expect(
      parseSourcesFile(configurationExample('Sources file'), true).of('example.co.uk').dns,
    ).toBeNull();
    expect(parseHostLimits(configurationExample('Limits of hosts'))).toHaveProperty('dns');
  });
});

/** Fields that differ from run to run. */
const volatile = new Set(
  'cached checked_at duration_ms expiresAt latency_ms rdap_endpoint request_id version'.split(' '),
);

/**
 * Parses JSON, NDJSON or CSV, with the types of volatile values instead of these; returns other text
 * as it is.
 */
function comparable(text: string): unknown {
  if (text.startsWith(csvHeader().trim()))
    return parseCsv(`${text.trim().replaceAll(/\r?\n/g, '\r\n')}\r\n`).map(withoutVolatileCells);
  try {
    return parse(text);
  } catch {
    const lines = text.trim().split('\n');
    return lines.every((line) => line.startsWith('{')) ? lines.map(parse) : text.trim();
  }
}

function withoutVolatileCells(row: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [name, volatile.has(name) ? cell !== '' : cell]),
  );
}

function parse(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => (volatile.has(key) ? typeof value : value));
}

/** Returns the JSON file that a section of the reference of files shows. */
function configurationExample(section: string): unknown {
  const blocks = codeBlocksIn(guideText('files'));
  return JSON.parse(blocks.find(({ heading }) => heading === section)?.code ?? '');
}

function reasonWithoutCurl(): string {
  try {
    execFileSync('curl', ['--version']);
    return '';
  } catch {
    return ' (skipped: there is no curl on this machine)';
  }
}
