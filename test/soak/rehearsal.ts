// Rehearses what an operator does, with real processes on loopback: `npx node test/soak/rehearsal.ts`.
// Installs the npm package, creates a key, looks names up, backs up, breaks a registry, the network,
// the DNS and PostgreSQL in turn, restores, and upgrades from the previous release. Prints the log of
// each incident at `info`, which must fit on one screen. Takes about two minutes.
import assert from 'node:assert/strict';
import { readFile, rm, copyFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openOtherTree } from '../bench/other-tree.ts';
import { bootstrapOf, writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { startFakeZone } from '../support/servers/fake-zone.ts';
import { startCommand, type GatewayProcess } from '../support/gateways/gateway-process.ts';
import { installPackage } from '../support/package/installed-package.ts';
import { startPostgres } from '../support/stores/postgres.ts';
import { notFound, registered } from '../support/bodies/replies.ts';
import { run } from '../support/package/run.ts';
import { scratch } from '../support/stores/scratch.ts';

const previousRelease = 'cc1adcb';
/** The lines of a terminal, without the prompt. */
const screen = 23;

await using folder = await scratch();
await using registry = await startFakeRegistry();
registry.fallback(({ name }) => registered(name));
registry.on(/^free/, notFound());
const links = await Promise.all(Array.from({ length: 20 }, () => startLink(registry.baseUrl)));
const tlds = links.map((_link, index) => `net${index}`);
await using bootstrap = await writeBootstrap(
  bootstrapOf({
    com: registry.baseUrl,
    ...Object.fromEntries(links.map(({ url }, index) => [`net${index}`, url])),
  }),
);
const rdapAlone = { whois: null, das: null, dns: null };
await using sources = await writeBootstrap({ suffixes: { '': rdapAlone } });
const settings = {
  PATH: process.env['PATH'],
  PORT: '0',
  AUTH: 'required',
  RDAP_BOOTSTRAP_URL: bootstrap.url,
  RDAP_ALLOW_PRIVATE: 'true',
  RDAP_TIMEOUT_MS: '1000',
  RATE_LIMIT: '0',
  SOURCES_FILE: sources.path,
  CT_SEARCH_URL: 'off',
  XDG_CACHE_HOME: folder.path,
};

step('Install the package');
const installed = await installPackage(folder.path);
const program = join(installed.folder, 'node_modules/.bin/rdap-gateway');
const underOldNode = await run('/usr/bin/env', ['node', program, '--version'], {
  env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
});
console.log(`The node of this machine: ${underOldNode.stdout}${underOldNode.stderr}`.trimEnd());
assert.match(
  underOldNode.stdout + underOldNode.stderr,
  /^(?:\d+\.\d+\.\d+|RDAP Gateway requires .+)\n$/,
);

const sqlite = { ...settings, STORE_URL: folder.storeUrl };
const command = (args: readonly string[], env: NodeJS.ProcessEnv) =>
  run(process.execPath, [program, ...args], { cwd: folder.path, env });
const serve = (env: NodeJS.ProcessEnv) =>
  startCommand(process.execPath, [program, 'serve'], { cwd: folder.path, env });

step('Check the settings, create a key, look a name up');
const checked = await command(['serve', '--check-config'], sqlite);
console.log(checked.stdout);
assert.equal(checked.code, 0);
const { key } = await newKey(sqlite);
await using first = serve(sqlite);
assert.equal((await lookUp(first, key, 'first.net0')).status, 200);

step('Back up twice while it runs');
const backup = join(folder.path, 'backup.db');
for (let count = 0; count < 2; count++)
  assert.equal((await command(['backup', backup], sqlite)).code, 0);
assert.equal((await lookUp(first, key, 'after-the-backup.net0')).status, 200);
await stop(first);

step('Restore');
for (const suffix of ['', '-wal', '-shm', '-last-entry'])
  await rm(join(folder.path, `gateway.db${suffix}`), { force: true });
await copyFile(backup, join(folder.path, 'gateway.db'));
{
  await using restored = serve(sqlite);
  const answer = await lookUp(restored, key, 'restored.net0');
  assert.equal(answer.status, 200);
  // Of the two credits, the backup has one.
  assert.equal(answer.headers.get('x-credits-remaining'), '9998');
  await stop(restored);
}

step('Upgrade from the previous release');
await upgrade();

step('Incidents, with PostgreSQL');
await using postgres = await startPostgres();
const zone = await startFakeZone((name) => (name.startsWith('nic.') ? 'delegated' : 'nxdomain'));
await using withDns = await writeBootstrap({
  suffixes: { '': rdapAlone, net18: { dns: zone.servers }, net19: { dns: zone.servers } },
});
const clustered = { ...settings, STORE_URL: await postgres.database(), SOURCES_FILE: withDns.path };
const payer = await newKey(clustered);
await using gateway = serve(clustered);
const warm = await lookUp(gateway, payer.key, 'warm.net0');
assert.equal(warm.status, 200);

// The zones have replied before they are away.
for (const tld of ['net18', 'net19'])
  assert.equal((await lookUp(gateway, payer.key, `free.${tld}`)).status, 200);

const load = async (names: readonly string[], rounds = 1) => {
  for (let round = 0; round < rounds; round++) {
    await Promise.all(names.map((name) => lookUp(gateway, payer.key, `r${round}-${name}`)));
    await Promise.all([get(gateway, '/ready'), get(gateway, '/health')]);
  }
};
await incident('a registry is down', async () => {
  await links[0]?.cut();
  await load(['a.net0', 'b.net0', 'c.net0'], 10);
  await links[0]?.restore();
});
await incident('the network is down', async () => {
  await Promise.all(links.map((link) => link.cut()));
  await load(
    tlds.map((tld) => `offline.${tld}`),
    3,
  );
  await Promise.all(links.map((link) => link.restore()));
});
await incident('the DNS is down', async () => {
  await zone[Symbol.asyncDispose]();
  for (let count = 1; count <= 10; count++)
    await lookUp(gateway, payer.key, `free${count}.net${18 + (count % 2)}`);
  await gateway.logged(({ msg }) => msg.startsWith('DNS is unreachable'));
});
await incident('PostgreSQL is down for a minute', async () => {
  await postgres.kill();
  const until = performance.now() + 65_000;
  const free: number[] = [];
  while (performance.now() < until) {
    await load(['a.net1', 'b.net2'], 5);
    free.push((await lookUp(gateway, payer.key, 'free.test')).status);
    await delay(500);
  }
  assert.deepEqual([...new Set(free)], [200]);
  assert.equal((await lookUp(gateway, payer.key, 'paid.net1')).status, 503);
  await postgres.start();
  await gateway.logged('Database available again.');
});
assert.equal((await lookUp(gateway, payer.key, 'end.net2')).status, 200);
await stop(gateway);
for (const link of links) await link.cut();
console.log('\nThe rehearsal succeeded.');

/** Runs an incident, and prints what the gateway has logged since the last one. */
async function incident(title: string, happen: () => Promise<void>): Promise<void> {
  const before = logOf(gateway).length;
  await happen();
  const lines = logOf(gateway).slice(before);
  console.log(`\n--- ${title}: ${lines.length} lines`);
  for (const line of lines) console.log(line);
  assert.ok(lines.length >= 1 && lines.length <= screen, `${lines.length} lines`);
  assert.ok(lines.every((line) => !line.includes('"stack"')));
}

function logOf({ lines }: GatewayProcess): readonly string[] {
  return lines();
}

async function newKey(env: NodeJS.ProcessEnv): Promise<{ readonly key: string }> {
  const { stdout, stderr } = await command(['keys', 'create', '--name', 'alice', '--json'], env);
  assert.match(stderr, /^(?:There was no store at .+\n)?$/);
  return JSON.parse(stdout);
}

async function get(target: GatewayProcess, path: string, headers = {}): Promise<Response> {
  const { url } = await target.logged('listening');
  const answer = await fetch(new URL(path, url), { headers });
  await answer.arrayBuffer();
  return answer;
}

function lookUp(target: GatewayProcess, apiKey: string, name: string): Promise<Response> {
  return get(target, `/v1/status?domain=${name}`, { 'x-api-key': apiKey });
}

async function stop(target: GatewayProcess): Promise<void> {
  target.kill('SIGTERM');
  assert.equal((await target.ended).code, 0);
}

/** Starts the previous release, and then this one on its store. */
async function upgrade(): Promise<void> {
  const opened = await openOtherTree(previousRelease);
  if ('reason' in opened) throw new Error(opened.reason);
  await using tree = opened;

  const { scripts } = JSON.parse(await readFile(join(tree.path, 'package.json'), 'utf8'));
  const args = (script: string): readonly string[] => scripts[script].split(' ').slice(1);
  const env: NodeJS.ProcessEnv = { ...sqlite, STORE_URL: `sqlite:${join(folder.path, 'old.db')}` };
  // The previous release does not know `off`.
  delete env['CT_SEARCH_URL'];
  const created = await run(
    process.execPath,
    [...args('keys'), 'create', '--name', 'bob', '--json'],
    { cwd: tree.path, env },
  );
  const old = JSON.parse(created.stdout) as { readonly key: string };
  await using before = startCommand(process.execPath, args('start'), { cwd: tree.path, env });
  assert.equal((await lookUp(before, old.key, 'old.net0')).status, 200);
  await stop(before);
  await using after = serve(env);
  const answer = await lookUp(after, old.key, 'new.net0');
  assert.deepEqual([answer.status, answer.headers.get('x-credits-remaining')], [200, '9998']);
  await stop(after);
}

interface Link {
  readonly url: string;
  cut(): Promise<void>;
  restore(): Promise<void>;
}

/** A network connection to a server, which can be cut. */
async function startLink(target: string): Promise<Link> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(Number(port), hostname);
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on('error', () => undefined).on('close', () => sockets.delete(each));
    }
    socket.pipe(onward).pipe(socket);
  });
  const listen = (at: number) =>
    new Promise<void>((resolve) => void server.listen(at, '127.0.0.1', resolve));
  await listen(0);
  const own = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${own}/`,
    restore: () => listen(own),
    cut: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function step(title: string): void {
  console.log(`\n== ${title}`);
}
