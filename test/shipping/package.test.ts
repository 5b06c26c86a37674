import { globSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import runtime from '../../runtime/package.json' with { type: 'json' };
import { bundleElement } from '../../scripts/bundle-element.ts';
import { startHttpServer } from '../support/servers/http-server.ts';
import { startBrowser } from '../support/requests/browser.ts';
import { bootstrapOf, writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { startCommand } from '../support/gateways/gateway-process.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import {
  consumerNode,
  installedManifest,
  installPackage,
  type InstalledPackage,
} from '../support/package/installed-package.ts';
import { guideText } from '../support/checks/guides.ts';
import { Offline } from '../support/package/npm.ts';
import { projectFolder, run } from '../support/package/run.ts';
import { scratch, type Scratch } from '../support/stores/scratch.ts';

let folder: Scratch;
let installed: InstalledPackage;
let offline: string | undefined;

beforeAll(async () => {
  folder = await scratch();
  try {
    installed = await installPackage(folder.path);
  } catch (error) {
    if (!(error instanceof Offline)) throw error;
    offline = error.message;
  }
}, 180_000);
afterAll(() => folder[Symbol.asyncDispose]());

const npx = (...args: string[]) => installed.run('npx', ['--no-install', ...args]);
const consumerFile = (name: string) => join(import.meta.dirname, 'consumer', name);
const packageFile = (path: string) =>
  join(installed.folder, 'node_modules/rdap-graphql-gateway', path);

const examples = 'node-http.js with-express.js with-fastify.js stitching.js search.js'.split(' ');

it.each(examples)('the guide to the npm package contains the tested file %s', async (name) => {
  const code = await readFile(consumerFile(name), 'utf8');
  expect(guideText('npm-package')).toContain(`\`\`\`js\n${code}\`\`\`\n`);
});

describe('the npm package', () => {
  beforeEach(({ skip }) => skip(offline !== undefined, offline));

  it('contains each file that it exports', async () => {
    const paths = Object.values(packageJson.exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    );
    const files = paths.map((path) => path.replace('./', ''));
    expect(files).toContain('dist/src/client/domain-search.js');
    expect(files.filter((path) => !installed.files.includes(path))).toEqual([]);
  });

  it('contains the search box as the two files that are tested in a browser', async () => {
    for (const [name, code] of await bundleElement())
      expect(await readFile(packageFile(`dist/src/client/${name}`), 'utf8')).toBe(code);
  });

  it('has a search box that a server can import, which renders pages', async () => {
    const code = `await import('rdap-graphql-gateway/domain-search')`;
    const imported = await installed.run('node', ['--input-type=module', '--eval', code]);
    expect(imported).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('contains only compiled code and the files that it reads', async () => {
    const outside = installed.files.filter((path) => !path.startsWith('dist/'));
    expect(outside.toSorted()).toEqual(['LICENSE', 'README.md', 'package.json']);
    const code = installed.files.filter((path) => /\.[cm]?ts$/.test(path));
    expect(code.filter((path) => !path.endsWith('.d.ts'))).toEqual([]);
    expect(installed.files.filter((path) => /\btest\b|^dist\/scripts/.test(path))).toEqual([]);
    const read = globSync('{src,docs,schema}/**/*.{css,graphql,html,js,json,md,mjs,sql,svg}', {
      cwd: projectFolder,
    });
    expect(read.length).toBeGreaterThan(40);
    expect(read.filter((path) => !installed.files.includes(`dist/${path}`))).toEqual([]);
  });

  it('installs without warnings, scripts, Node runtimes and development dependencies', async () => {
    expect(installed.warnings.replace(/^npm warn Unknown .*\n/gm, '')).toBe('');
    const names = installed.packages.map((path) => path.replace(/^.*node_modules\//, ''));
    expect(names).toEqual(expect.arrayContaining(['rdap-graphql-gateway', 'graphql']));
    const unwanted = [
      ...Object.keys(runtime.optionalDependencies),
      'typescript',
      'vitest',
      'express',
    ];
    expect(names.filter((name) => unwanted.includes(name))).toEqual([]);
    expect(await installedManifest(installed)).toMatchObject({ engines: { node: '>=22.19' } });
    expect(await installedManifest(installed)).not.toHaveProperty('optionalDependencies');
  });

  it('has a command line that npx runs', async () => {
    expect((await npx('rdap-graphql-gateway', '--version')).stdout).toBe(
      `${packageJson.version}\n`,
    );
    const { code, stdout } = await npx('rdap-gateway', 'check', 'taken.test');
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { available: false }]);
  });

  it('serves the API, the pages and the guides with an SQLite store', async () => {
    const command = [packageFile('dist/src/cli/main.js'), 'serve'];
    const bootstrap = await writeBootstrap(bootstrapOf({ unused: 'https://rdap.invalid/' }));
    const env = { PORT: '0', RDAP_BOOTSTRAP_URL: bootstrap.url };
    await using gateway = startCommand(consumerNode, command, { cwd: installed.folder, env });
    const { url } = await gateway.logged('listening');
    const paths = ['/', '/docs', '/docs/changelog', '/docs/reliability', '/docs/reference'];
    const files = ['/openapi.json', '/schema.graphql', '/docs/search.json', '/metrics', '/ready'];
    for (const path of [...paths, ...files])
      expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
    const page = await (await fetch(`${url}/docs`)).text();
    const assets = Array.from(page.matchAll(/(?:href|src)="([^"]*assets[^"]*)"/g), ([, at]) => at);
    expect(assets.length).toBeGreaterThan(2);
    for (const at of assets)
      expect((await fetch(new URL(at ?? '', `${url}/docs`))).status).toBe(200);
    expect(await (await fetch(`${url}/v1/rdap?domain=taken.test`)).json()).toMatchObject({
      available: false,
    });
    gateway.kill('SIGTERM');
    expect(await gateway.ended).toMatchObject({ code: 0 });
    await bootstrap[Symbol.asyncDispose]();
  });

  it('is mounted in node:http, Express and Fastify, and stitched into another schema', async () => {
    for (const name of ['handlers.mjs', ...examples])
      await copyFile(consumerFile(name), join(installed.folder, name));
    const { code, stdout, stderr } = await installed.run(consumerNode, ['handlers.mjs']);
    // Node 22 and 24 warn that `node:sqlite` is experimental.
    expect([code, stderr.replace(/^\(.*\n/gm, '')]).toEqual([0, '']);
    const rows = ['invalid_name', 'taken.test: taken', 'taken.zz: unknown (unsupported_tld)'];
    expect(JSON.parse(stdout)).toEqual({
      rows: { http: rows, express: rows, fastify: rows },
      stitched: { data: { domain: { available: false } } },
    });
  });

  it.each([
    { file: 'server.mts', lib: ['es2024', 'esnext.disposable'], types: ['node'] },
    { file: 'browser.mts', lib: ['es2024', 'dom', 'dom.iterable'], types: [] },
  ])('has complete types: $file compiles in strict mode', async ({ file, lib, types }) => {
    await copyFile(consumerFile(file), join(installed.folder, file));
    const config = join(installed.folder, `${basename(file, '.mts')}.json`);
    const compilerOptions = {
      target: 'es2024',
      module: 'nodenext',
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      lib,
      types,
    };
    await writeFile(config, JSON.stringify({ compilerOptions, include: [file] }));
    const compiler = 'node_modules/typescript/bin/tsc';
    const { code, stdout } = await run(process.execPath, [compiler, '-p', config]);
    expect([code, stdout]).toEqual([0, '']);
  });

  it('has a client that is an ES module for browsers', async (context) => {
    await using started = await startBrowser();
    if ('absent' in started) return context.skip(started.absent);
    await using cleanup = new AsyncDisposableStack();
    const gateway = cleanup.use(await startGateway({ env: { AUTH: 'open' } }));
    const site = cleanup.use(
      await startHttpServer(async ({ url = '' }, response) => {
        const isCode = url.endsWith('.js');
        response.setHeader('content-type', isCode ? 'text/javascript' : 'text/html');
        const code = isCode && (await readFile(packageFile(`dist/src/client${url}`)));
        response.end(code || '<!doctype html>');
      }, 'localhost'),
    );
    const page = await started.browser.newPage();
    await page.goto(`${site.url}/`);
    const result = await page.evaluate(`(async () => {
        const { GatewayClient } = await import('/client.js');
        const client = new GatewayClient(${JSON.stringify(gateway.url)});
        const rows = [];
        for await (const { domain } of client.search({ name: 'slow', tlds: ['test', 'zz'] })) rows.push(domain);
        const { registration } = await client.lookup('taken.test');
        const { code, param } = await client.check('not a name').catch((error) => error);
        const abort = new AbortController();
        const aborted = client.check('hang.test', { signal: abort.signal }).catch(({ name }) => name);
        abort.abort();
        return { rows, registrar: registration.registrar.name, code, param, aborted: await aborted };
      })()`);
    expect(result).toEqual({
      rows: ['slow.zz', 'slow.test'],
      registrar: 'Sandbox Registrar Ltd',
      code: 'invalid_name',
      param: 'name',
      aborted: 'AbortError',
    });
  });
});
