import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { readBootstrap } from '../../../src/registries/directory/bootstrap-parser.ts';
import table from '../../../src/registries/directory/bootstrap-table.json' with { type: 'json' };
import {
  parseTldList,
  loadTldList,
  tldListUrl,
} from '../../../src/registries/directory/tld-list.ts';
import { builtInTlds } from '../../../src/registries/directory/tld-list.ts';
import { unlistedServers } from '../../../src/registries/directory/suffix-sources.ts';
import { createDispatcher } from '../../../src/outbound/dispatcher.ts';
import { createHttpClient } from '../../../src/outbound/client.ts';
import { MemoryAnswers } from '../../../src/storage/memory/answers.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { manualClock, type ManualClock } from '../../support/time/manual-clock.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';
import { status, type Script } from '../../support/bodies/replies.ts';
import { startScriptedServer, type ScriptedServer } from '../../support/servers/scripted-server.ts';

const day = 24 * 60 * 60 * 1000;

let clock: ManualClock;
let server: ScriptedServer;
let script: Script;
let store: MemoryAnswers;
let memory: ReturnType<typeof memoryLog>;
beforeEach(async () => {
  clock = manualClock();
  server = await forThisTest(startScriptedServer, () => script);
  store = new MemoryAnswers();
  memory = memoryLog();
});

/** Serves a list in IANA's format. */
const serving =
  (labels: Iterable<string>, version = '2026112200'): Script =>
  () => {
    const lines = [`# Version ${version}, Last Updated`, ...labels, ''];
    return status(200, { 'content-type': 'text/plain' }, lines.join('\n').toUpperCase());
  };

/** Starts a loader, and waits until it has tried to load the list. */
async function open(url = server.url('tlds.txt')): Promise<ReturnType<typeof loadTldList>> {
  const dispatcher = createDispatcher({
    allowPrivate: true,
    connections: 1,
    connectTimeoutMs: 60_000,
  });
  onTestFinished(() => dispatcher.destroy());
  const client = createHttpClient({
    route: () => dispatcher,
    userAgent: 'gateway/1.0',
    // The timers of `clock` are those of the loader only.
    clock: systemClock,
  });
  const loader = loadTldList({ url, client, store, clock, log: memory.log });
  onTestFinished(() => loader.stop());
  await loader.settled;
  return loader;
}

/** Passes a day, and waits until the list is loaded again. */
async function reload(next: Script): Promise<void> {
  script = next;
  clock.advance(day);
  await clock.whenPending();
}

describe('the list of TLDs', () => {
  it('is loaded at startup and daily, and changes are logged', async () => {
    script = serving([...builtInTlds, 'newer']);
    const loader = await open();
    expect(loader.current()).toEqual(new Set([...builtInTlds, 'newer']));
    expect(server.requests[0]?.headers).toMatchObject({ accept: 'text/plain' });
    const withoutZw = [...builtInTlds].filter((label) => label !== 'zw');
    await reload(serving([...withoutZw, 'newer', 'newest']));
    expect(loader.current().has('newest')).toBe(true);
    expect(loader.current().has('zw')).toBe(false);
    expect(memory.lines).toMatchObject([
      { entries: builtInTlds.size + 1, added: { count: 1, first: ['newer'] } },
      {
        entries: builtInTlds.size + 1,
        added: { count: 1, first: ['newest'] },
        removed: { count: 1, first: ['zw'] },
      },
    ]);
  });

  it('remains the same object, and nothing is logged, while only its version changes', async () => {
    script = serving([...builtInTlds, 'newer'], '1');
    const loader = await open();
    const before = loader.current();
    await reload(serving(['newer', ...builtInTlds], '2'));
    expect(server.requests.length).toBe(2);
    expect(loader.current()).toBe(before);
    expect(memory.lines).toHaveLength(1);
  });

  it.each<[string, Script]>([
    ['its server fails', status(503)],
    ['the response is HTML', status(200, {}, '<html><p>com</p></html>')],
    ['the response is empty', status(200, {}, '')],
    ['the list lacks com', serving([...builtInTlds].filter((label) => label !== 'com'))],
    ['the list has lost a tenth', serving(['com', ...[...builtInTlds].slice(150)])],
  ])('is the previous one if %s, which is logged', async (_what, failure) => {
    script = failure;
    const loader = await open();
    expect(loader.current()).toBe(builtInTlds);
    await reload(serving([...builtInTlds, 'newer']));
    const loaded = loader.current();
    expect(loaded.has('newer')).toBe(true);
    await reload(failure);
    expect(loader.current()).toBe(loaded);
    const warnings = memory.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ serving: size }) => size)).toEqual([
      builtInTlds.size,
      builtInTlds.size + 1,
    ]);
  });

  it('is the stored copy after a restart while its server fails', async () => {
    script = serving([...builtInTlds, 'newer']);
    (await open()).stop();
    script = status(503);
    const again = await open();
    expect(again.current()).toEqual(new Set([...builtInTlds, 'newer']));
  });

  it.each([
    ['https://data.iana.org/rdap/dns.json', 'https://data.iana.org/TLD/tlds-alpha-by-domain.txt'],
    ['https://mirror.example/rdap/dns.json', undefined],
    ['https://data.iana.org.example/rdap/dns.json', undefined],
    ['file:///etc/dns.json', undefined],
  ])('belongs to the bootstrap document %s: %s', (bootstrapUrl, listUrl) => {
    expect(tldListUrl(bootstrapUrl)).toBe(listUrl);
  });
});

describe('a list in the format of IANA', () => {
  it('contains one TLD per line, in any case, and comments', () => {
    expect(parseTldList('# Version 1\nCOM\r\nXN--P1AI\n\nde')).toEqual(
      new Set(['com', 'xn--p1ai', 'de']),
    );
  });

  it.each(['com\nco.uk', 'com\n<p>', 'com\nde fr', 'com\nx'])('is invalid: %j', (text) => {
    expect(() => parseTldList(text)).toThrow(/ is not a TLD$/);
  });
});

describe('the built-in list of TLDs', () => {
  it('is sorted, and contains the TLDs of the tables of RDAP servers', () => {
    const labels = Array.from(builtInTlds);
    expect(labels).toEqual(labels.toSorted());
    expect(labels.length).toBeGreaterThan(1400);
    expect(Array.from(unlistedServers.keys()).filter((tld) => !builtInTlds.has(tld))).toEqual([]);
    const listed = Array.from(readBootstrap(table).keys()).filter((tld) => !tld.includes('.'));
    expect(listed.filter((tld) => builtInTlds.has(tld)).length).toBeGreaterThan(1100);
  });

  it('has no entry for a name that is not a TLD', () => {
    expect(
      ['test', 'example', 'local', 'co.uk', ''].filter((label) => builtInTlds.has(label)),
    ).toEqual([]);
  });
});
