import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { ObjectBootstraps } from '../../../src/registries/directory/object-bootstraps.ts';
import { parseAutnumRef, parseEntityRef, parseIpRef } from '../../../src/domain/object-ref.ts';
import { createHttpClient } from '../../../src/outbound/client.ts';
import { createDispatcher } from '../../../src/outbound/dispatcher.ts';
import { MemoryAnswers } from '../../../src/storage/memory/answers.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { manualClock, type ManualClock } from '../../support/time/manual-clock.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';
import { status } from '../../support/bodies/replies.ts';
import { startScriptedServer, type ScriptedServer } from '../../support/servers/scripted-server.ts';

const day = 24 * 60 * 60 * 1000;
const arin = 'https://rdap.arin.net/registry/';
const ripe = 'https://rdap.db.ripe.net/';

type Services = readonly (readonly (readonly unknown[])[])[];

let clock: ManualClock;
let server: ScriptedServer;
/** The services of each document; a document without services is a 404. */
let documents: Record<string, Services | string>;
let memory: ReturnType<typeof memoryLog>;
let store: MemoryAnswers;
beforeEach(async () => {
  clock = manualClock();
  documents = {};
  memory = memoryLog();
  store = new MemoryAnswers();
  server = await forThisTest(startScriptedServer, ({ url }) => {
    const services = documents[url.slice(1).replace('.json', '')];
    if (services === undefined) return status(404);
    const body = typeof services === 'string' ? services : JSON.stringify({ services });
    return status(200, { 'content-type': 'application/json' }, body);
  });
});

/** Starts a directory, and waits until it has tried to load its documents. */
async function open(url = server.url('dns.json')): Promise<ObjectBootstraps> {
  const dispatcher = createDispatcher({
    allowPrivate: true,
    connections: 4,
    connectTimeoutMs: 60_000,
  });
  onTestFinished(() => dispatcher.destroy());
  const client = createHttpClient({
    route: () => dispatcher,
    userAgent: 'gateway/1.0',
    clock: systemClock,
  });
  const directory = new ObjectBootstraps({ url, client, store, clock, log: memory.log });
  onTestFinished(() => directory.stop());
  await directory.settled;
  return directory;
}

/** Returns the base URLs of an object, or the code and the detail of its problem. */
function resolve(directory: ObjectBootstraps, type: 'ip' | 'as' | 'handle', text: string) {
  const parse = { ip: parseIpRef, as: parseAutnumRef, handle: parseEntityRef }[type];
  const resolution = directory.resolve(parse(text));
  return 'problem' in resolution
    ? `${resolution.problem.code}: ${resolution.problem.message}`
    : resolution.baseUrls.join(' ');
}

const warnings = () => memory.lines.filter(({ level }) => level === 'warn');

describe('the built-in tables', () => {
  it.each([
    ['ip', '8.8.8.8', arin],
    ['ip', '193.0.6.139', ripe],
    ['ip', '1.1.1.0/24', 'https://rdap.apnic.net/'],
    ['ip', '200.3.14.10', 'https://rdap.lacnic.net/rdap/'],
    ['ip', '196.216.2.1', 'https://rdap.afrinic.net/rdap/'],
    ['ip', '192.175.48.1', arin],
    ['ip', '2001:67c:2e8::', ripe],
    ['ip', '2410::1', 'https://rdap.apnic.net/'],
    ['ip', '::ffff:8.8.8.8', arin],
    ['as', 'AS3333', ripe],
    ['as', '2043', ripe],
    ['as', '15169', arin],
    ['as', '327680', 'https://rdap.afrinic.net/rdap/'],
    ['handle', 'ORG-1-ARIN', arin],
    ['handle', 'ORG-2-ripe', ripe],
    ['handle', 'X-Norid', 'https://rdap.norid.no/'],
  ] as const)('name the server of %s %s', async (type, text, baseUrl) => {
    expect(resolve(await open(), type, text).split(' ')[0]).toBe(baseUrl);
  });

  it.each([
    [
      'ip',
      '10.0.0.1',
      'special_use: 10.0.0.1 is reserved for private use (RFC 1918), so no registry has it.',
    ],
    ['ip', '::1', 'special_use: ::1 is reserved for loopback (RFC 4291), so no registry has it.'],
    [
      'as',
      '64512',
      'special_use: AS64512 is reserved for private use (RFC 6996), so no registry has it.',
    ],
    [
      'as',
      '65535',
      'special_use: AS65535 is reserved as the last 16-bit number (RFC 7300), so no registry has it.',
    ],
    ['ip', '4000::', 'no_registry: No registry is known for 4000::.'],
    ['ip', '0.0.0.0/0', 'no_registry: No registry is known for 0.0.0.0/0.'],
    ['as', '4000000000', 'no_registry: No registry is known for AS4000000000.'],
    [
      'handle',
      'ARIN',
      'no_registry: No registry is known for ARIN. It must end with the tag of a registry, such as -ARIN or -RIPE.',
    ],
    [
      'handle',
      '-ARIN',
      'no_registry: No registry is known for -ARIN. It must end with the tag of a registry, such as -ARIN or -RIPE.',
    ],
    [
      'handle',
      'X-__proto__',
      'no_registry: No registry is known for X-__proto__. It must end with the tag of a registry, such as -ARIN or -RIPE.',
    ],
  ] as const)('name no server of %s %s', async (type, text, problem) => {
    expect(resolve(await open(), type, text)).toBe(problem);
  });

  it('return the known server of a handle', async () => {
    const ref = parseEntityRef('X-ARIN', 'https://rdap.example/');
    expect((await open()).resolve(ref)).toEqual({ baseUrls: ['https://rdap.example/'] });
  });

  it('serve without a warning if there are no documents beside dns.json', async () => {
    await open();
    expect(server.requests.map(({ url }) => url).toSorted()).toEqual(
      '/asn.json /ipv4.json /ipv6.json /object-tags.json'.split(' '),
    );
    expect(resolve(await open('file:///no/such/dns.json'), 'ip', '8.8.8.8')).toContain(arin);
    expect(warnings()).toEqual([]);
  });
});

describe('the documents', () => {
  it('replace the built-in tables; the longest prefix wins, and HTTPS comes first', async () => {
    documents = {
      ipv4: [
        [['8.0.0.0/8'], ['https://eight.example']],
        [
          ['8.8.8.0/24', '0.0.0.0/0'],
          ['http://dns.example/', 'https://dns.example/x'],
        ],
      ],
      ipv6: [[['2001:200::/23'], ['https://six.example/']]],
      asn: [[['15000-15999', '7'], ['https://as.example/']]],
      'object-tags': [[['contact@registry.example'], ['yyyy'], ['https://tag.example/']]],
    };
    const directory = await open();
    expect(
      (['8.1.1.1', '8.8.8.8', '8.8.8.0/24', '8.8.0.0/16', '9.9.9.9', '2001:200::1'] as const).map(
        (ip) => resolve(directory, 'ip', ip),
      ),
    ).toEqual([
      'https://eight.example/',
      'https://dns.example/x/',
      'https://dns.example/x/',
      'https://eight.example/',
      'https://dns.example/x/',
      'https://six.example/',
    ]);
    expect(resolve(directory, 'as', '15999')).toBe('https://as.example/');
    expect(resolve(directory, 'as', '7')).toBe('https://as.example/');
    expect(resolve(directory, 'as', '8')).toContain('no_registry');
    expect(resolve(directory, 'handle', 'a-YyYy')).toBe('https://tag.example/');
    expect(directory.names('https://as.example')).toBe(true);
    expect(directory.names('https://x.example')).toBe(false);
  });

  it('are usable except for their invalid entries', async () => {
    documents = {
      ipv4: [
        [
          ['nonsense', '8.0.0.0/33', '2001:200::/23', '9.0.0.0/8'],
          ['ftp://x.example/', 'https://v4.example/'],
        ],
        [['11.0.0.0/8'], ['not a URL']],
      ],
      asn: [[['9-3', '-1', '1-99999999999', '5-6'], ['https://as.example/']]],
      'object-tags': [[['c'], ['with-hyphen', '', 'OK'], ['https://tag.example/']]],
    };
    const directory = await open();
    expect(resolve(directory, 'ip', '9.1.1.1')).toBe('https://v4.example/');
    expect(resolve(directory, 'ip', '11.1.1.1')).toContain('no_registry');
    expect(resolve(directory, 'as', '5')).toBe('https://as.example/');
    expect(resolve(directory, 'as', '3')).toContain('no_registry');
    expect(resolve(directory, 'handle', 'X-OK')).toBe('https://tag.example/');
  });

  it.each(['<html>', '{}', '{"services":[]}', '{"services":[[["x"],["https://x.example/"]]]}'])(
    'are rejected with a warning if they are %s',
    async (body) => {
      documents = { ipv4: body };
      expect(resolve(await open(), 'ip', '8.8.8.8')).toContain(arin);
      expect(warnings()).toHaveLength(1);
    },
  );

  it('are reloaded daily, and an implausible one is rejected', async () => {
    const blocks = Array.from({ length: 20 }, (_, index) => `${index + 20}.0.0.0/8`);
    documents = { ipv4: [[blocks, ['https://one.example/']]] };
    const directory = await open();
    const reload = async (services: Services) => {
      const { length } = server.requests;
      documents = { ipv4: services };
      clock.advance(day);
      await server.when(
        ({ requests, inFlight }) => requests.length >= length + 4 && inFlight === 0,
      );
    };
    await reload([[blocks.slice(1), ['https://two.example/']]]);
    await expect.poll(() => resolve(directory, 'ip', '21.0.0.1')).toBe('https://two.example/');
    await reload([[blocks.slice(10), ['https://three.example/']]]);
    await expect.poll(warnings).toHaveLength(1);
    expect(resolve(directory, 'ip', '39.0.0.1')).toBe('https://two.example/');
  });

  it('are stored, and used while their server fails', async () => {
    documents = { asn: [[['5-6'], ['https://as.example/']]] };
    (await open()).stop();
    documents = {};
    expect(resolve(await open(), 'as', '5')).toBe('https://as.example/');
  });

  it('are files beside dns.json', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'objects-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(
      join(folder, 'asn.json'),
      JSON.stringify({ services: [[['5-6'], ['https://as.example/']]] }),
    );
    const directory = await open(pathToFileURL(join(folder, 'dns.json')).href);
    expect(resolve(directory, 'as', '5')).toBe('https://as.example/');
    expect(resolve(directory, 'ip', '8.8.8.8')).toContain(arin);
    expect(warnings()).toEqual([]);
  });
});
