import { type RequestListener } from 'node:http';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { parseSiteHost } from '../../../src/sites/site-target.ts';
import { createHttpClient } from '../../../src/outbound/client.ts';
import { createDispatcher } from '../../../src/outbound/dispatcher.ts';
import { searchLimits } from '../../../src/sites/site-slots.ts';
import { startHttpServer } from '../../support/servers/http-server.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import { siteRequest } from '../../support/bodies/site-requests.ts';
import {
  certificatesReader,
  maxSearchBytes,
} from '../../../src/sites/certificates/certificates-reader.ts';
import { mergeRows, parseSearchRows } from '../../../src/sites/certificates/certificates-reader.ts';

const row = (parts: object = {}) => ({
  id: 100,
  issuer_name: 'C=US, O=CA, CN=R1',
  common_name: 'example.com',
  name_value: '*.Example.com\nwww.example.com\nexample.com',
  not_before: '2026-04-02T21:18:57',
  not_after: '2026-07-01T21:24:46',
  entry_timestamp: '2026-04-02T21:29:08.423',
  serial_number: '65',
  ...parts,
});

/** Starts a search that answers with `listener`, and a client for it. */
async function startSearch(listener: RequestListener) {
  const queries: string[] = [];
  const server = await startHttpServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://search');
    queries.push(url.searchParams.get('q') ?? '');
    listener(request, response);
  });
  const dispatcher = createDispatcher({
    allowPrivate: true,
    connections: 2,
    connectTimeoutMs: 1000,
    maxResponseBytes: maxSearchBytes,
  });
  const client = createHttpClient({ route: () => dispatcher, userAgent: 'x', clock: systemClock });
  const searchUrl = `${server.url}/?secret=1`;
  return {
    queries,
    searchUrl,
    client,
    read: (clock = systemClock, limits = searchLimits('', clock)) =>
      read(searchUrl, client, clock, limits),
    async [Symbol.asyncDispose]() {
      await dispatcher.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

type Options = Parameters<typeof certificatesReader>[0];

function read(
  searchUrl: string,
  client: Options['client'],
  clock = systemClock,
  limits = searchLimits('', clock),
  request = siteRequest(),
) {
  const target = parseSiteHost('example.com');
  return certificatesReader({ searchUrl, client, limits, clock })({ target }, request);
}

const json =
  (value: unknown): RequestListener =>
  (_request, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(value));

const parse = (rows: unknown) =>
  mergeRows(parseSearchRows(Buffer.from(JSON.stringify(rows)), 'example.com')?.rows ?? []);

describe('the certificates of a name', () => {
  it('are searched by the name and by the names under it', async () => {
    await using search = await startSearch((request, response) => {
      const isBelow = request.url?.includes('q=%25.example.com') === true;
      json([isBelow ? row({ id: 101, serial_number: '66' }) : row()])(request, response);
    });
    expect(await search.read()).toEqual({
      source: '127.0.0.1',
      isTruncated: false,
      certificates: ['101', '100'].map((id) => ({
        id,
        issuer: 'C=US, O=CA, CN=R1',
        commonName: 'example.com',
        names: ['*.example.com', 'www.example.com', 'example.com'],
        notBefore: Date.UTC(2026, 3, 2, 21, 18, 57),
        notAfter: Date.UTC(2026, 6, 1, 21, 24, 46),
        loggedAt: Date.UTC(2026, 3, 2, 21, 29, 8, 423),
        fingerprintSha256: null,
      })),
    });
    expect(search.queries).toEqual(['example.com', '%.example.com']);
  });

  it('are limited to the 10,000 newest', async () => {
    const rows = Array.from({ length: 10_001 }, (_, id) => row({ id, serial_number: String(id) }));
    await using search = await startSearch(json(rows));
    const { certificates, isTruncated } = await search.read();
    expect(certificates.length).toBe(10_000);
    expect(certificates[0]?.id).toBe('10000');
    expect(isTruncated).toBe(true);
  });

  it.each([
    [9999, false],
    [10_000, true],
  ])('may be more if a search returns %i rows: %s', async (length, isTruncated) => {
    // crt.sh returns at most about 10,000 rows, and many are about the same certificates.
    const rows = Array.from({ length }, (_, id) => ({ id, name_value: 'someone@example.com' }));
    await using search = await startSearch((request, response) => {
      const isBelow = request.url?.includes('q=%25.example.com') === true;
      json(isBelow ? rows : [row()])(request, response);
    });
    expect(await search.read()).toMatchObject({ certificates: [{ id: '100' }], isTruncated });
  });

  it.each([429, 502, 503, 404])('are unavailable if the search returns %i', async (status) => {
    await using search = await startSearch((_request, response) =>
      response.writeHead(status, { 'retry-after': '7' }).end('[]'),
    );
    await expect(search.read()).rejects.toMatchObject({ code: 'ct_unavailable', retryAfter: 7 });
  });

  it.each(['<html>', '{}', '', 'null'])('are unavailable if it sends %j', async (body) => {
    await using search = await startSearch((_request, response) => response.end(body));
    await expect(search.read()).rejects.toMatchObject({ code: 'ct_unavailable' });
  });

  it('are unavailable if it sends more than 8 MiB, or closes the connection', async () => {
    await using large = await startSearch((_request, response) =>
      response.end(Buffer.alloc(maxSearchBytes + 1, ' ')),
    );
    await expect(large.read()).rejects.toMatchObject({ code: 'ct_unavailable' });
    await using closed = await startSearch((request) => request.socket.destroy());
    await expect(closed.read()).rejects.toMatchObject({ code: 'ct_unavailable' });
  });

  it('take 30 seconds at most', async () => {
    await using search = await startSearch(() => {});
    // The clock jumps to 5 ms before the end of the time limit.
    const times = [0, 29_995];
    const clock = { ...systemClock, elapsed: () => times.shift() ?? 29_995 };
    await expect(search.read(clock)).rejects.toMatchObject({ code: 'site_timeout' });
  });

  it('are searched two at a time, and not at all without a slot until the deadline', async () => {
    await using search = await startSearch(json([row()]));
    const limits = searchLimits('', systemClock);
    const sent: string[] = [];
    const request = { ...siteRequest(), queueDeadline: 0, onSent: () => void sent.push('late') };
    const late = () => read(search.searchUrl, search.client, systemClock, limits, request);
    const releases = await Promise.all(
      ['bob', 'carol'].map((account) => limits.slots.acquire(siteRequest({ account }))),
    );
    await expect(late()).rejects.toMatchObject({ code: 'site_timeout' });
    expect([search.queries, sent]).toEqual([[], []]);
    for (const release of releases) release?.();
    expect(await late()).toMatchObject({ isTruncated: false });
    expect(sent).toEqual(['late']);
    expect(limits.slots.size).toBe(0);
  });

  it('are searched at crt.sh with one request in five seconds, and no later than the deadline', async () => {
    await using search = await startSearch(json([row()]));
    const clock = manualClock();
    const limits = searchLimits('crt.sh', clock);
    const readBefore = (queueDeadline: number) =>
      read(search.searchUrl, search.client, clock, limits, siteRequest({ queueDeadline }));
    const first = readBefore(clock.now());
    await clock.whenPending();
    expect(search.queries).toEqual(['example.com']);
    clock.advance(4999);
    expect(clock.pending).toBe(1);
    clock.advance(1);
    await first;
    expect(search.queries).toEqual(['example.com', '%.example.com']);
    await expect(readBefore(clock.now() + 4999)).rejects.toMatchObject({ code: 'site_timeout' });
    expect(search.queries).toHaveLength(2);
    const second = readBefore(clock.now() + 5000);
    await clock.whenPending();
    clock.advance(5000);
    await clock.whenPending();
    clock.advance(5000);
    await second;
    expect(search.queries).toHaveLength(4);
  });
});

describe('the rows of a search', () => {
  it('are merged if they are a pre-certificate and its certificate', () => {
    expect(parse([row({ id: 9 }), row({ id: 8 })]).map(({ id }) => id)).toEqual(['8']);
    expect(parse([row({ id: 8 }), row({ id: 9 })]).map(({ id }) => id)).toEqual(['8']);
    expect(parse([row({ id: 9 }), row({ id: 8, issuer_name: 'CN=Other' })])).toHaveLength(2);
    expect(parse([row({ id: 9, serial_number: '' }), row({ id: 8, serial_number: '' })])).toHaveLength(2); // prettier-ignore
  });

  it('are merged with all names and the first time', () => {
    const first = row({ id: 8, name_value: 'example.com', entry_timestamp: '2026-04-02T21:18:02' });
    const second = row({
      id: 9,
      name_value: 'www.example.com',
      entry_timestamp: '2026-04-02T21:18:01',
    });
    const without = row({ id: 10, entry_timestamp: null, name_value: 'a.example.com' });
    for (const rows of [
      [first, second],
      [second, first],
      [without, second, first],
    ]) {
      const [certificate, ...others] = parse(rows);
      expect(others).toEqual([]);
      expect(certificate).toMatchObject({ id: '8', loggedAt: Date.UTC(2026, 3, 2, 21, 18, 1) });
      expect(certificate?.names).toEqual(
        expect.arrayContaining(['example.com', 'www.example.com']),
      );
    }
    expect(parse([without, without])).toMatchObject([{ loggedAt: null }]);
  });

  it('may have names that are no host names', () => {
    const rows = [row({ common_name: null, name_value: 'foo_bar.example.com\n_a.example.com' })];
    expect(parse(rows)).toMatchObject([{ names: ['foo_bar.example.com', '_a.example.com'] }]);
  });

  it('are sorted by time and then by number', () => {
    const rows = [
      row({ id: 9, serial_number: '1' }),
      row({ id: 10, serial_number: '2' }),
      row({ id: 8, serial_number: '3', not_before: '2026-05-01T00:00:00' }),
    ];
    expect(parse(rows).map(({ id }) => id)).toEqual(['8', '10', '9']);
  });

  it('show no e-mail addresses and no invalid names', () => {
    const [certificate] = parse([
      row({ common_name: 'someone@example.com',
        name_value: 'someone@example.com\na b.example.com\n*.*.example.com\n-a.example.com\nother.test\nmail.example.com',
      }),
    ]); // prettier-ignore
    expect(certificate).toMatchObject({
      commonName: null,
      names: ['other.test', 'mail.example.com'],
    });
  });

  it.each([
    { name_value: 'someone@example.com', common_name: 'someone' },
    { name_value: 'example.com.evil.test\nmyexample.com', common_name: null },
    { id: 'x' },
    { issuer_name: null },
    { id: { toString: 0 } },
    { not_before: 'yesterday' },
    { not_after: '2026-13-45T00:00:00' },
  ])('are left out if they have %j', (parts) => expect(parse([row(parts), null, 5])).toEqual([]));

  it('may have any values, without an error', () => {
    const values = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('example.com', 5, '2026-01-01T00:00:00'),
    );
    const rows = fc.array(
      fc.record(Object.fromEntries(Object.keys(row()).map((key) => [key, values]))),
    );
    fc.assert(
      fc.property(rows, (list) => {
        for (const { names, notBefore } of parse([...list, row()])) {
          expect(names.length).toBeGreaterThan(0);
          expect(Number.isFinite(notBefore)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});
