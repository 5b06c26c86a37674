import { readBootstrap } from '../../../src/registries/directory/bootstrap-parser.ts';
import table from '../../../src/registries/directory/bootstrap-table.json' with { type: 'json' };
import publishedLimits from '../../../src/outbound/queues/published-limits.json' with { type: 'json' };
import { startHttpServer } from '../../support/servers/http-server.ts';
import { domainObject } from '../../support/bodies/domain-object.ts';
import type { EventClock } from '../../support/time/event-clock.ts';
import { writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { nsRecords, soaRecord, type FakeDnsQuery } from '../../support/servers/fake-dns-server.ts';
import { startFakeZone } from '../../support/servers/fake-zone.ts';
import { hash } from '../truthful-registry.ts';
import { Tally } from './tally.ts';

/** The registries of IANA's list and the zones of their TLDs, each on ports of its own. */
export interface DayServers extends AsyncDisposable {
  /** Base URLs by TLD. */
  readonly registries: Readonly<Record<string, string>>;
  /** Paths of the files of `SOURCES_FILE` and `RDAP_LIMITS`. */
  readonly sourcesFile: string;
  readonly limitsFile: string;
  readonly rdap: Tally;
  /** DNS queries. All zones of a registry's TLDs count as one operator. */
  readonly dns: Tally;
}

/** The TLDs whose names have an RDAP server in IANA's list, with the host of that server. */
export const hostOfTld: ReadonlyMap<string, string> = new Map(
  Array.from(readBootstrap(table), ([tld, { baseUrls }]) => [tld, new URL(baseUrls[0]).host]),
);

const limitsOf = new Map(Object.entries(publishedLimits));

/** Starts servers that respond correctly, with latencies by the clock: 20 to 80 ms, and 10 to 30 ms. */
export async function startDayServers(
  tlds: readonly string[],
  clock: EventClock,
): Promise<DayServers> {
  await using parts = new AsyncDisposableStack();
  const [rdap, dns] = [new Tally(clock), new Tally(clock)];
  const registries: Record<string, string> = {};
  const suffixes: Record<string, object> = {};
  const limits: Record<string, unknown> = {};
  for (const [host, ofHost] of Map.groupBy(tlds, (tld) => hostOfTld.get(tld) ?? '')) {
    const registry = parts.use(await startRegistry(host, clock, rdap));
    const zone = await startFakeZone(() => (query) => {
      clock.touch();
      dns.record(host, query.name);
      clock.after(10 + (hash(query.name) % 20), () => answerQuery(query));
    });
    parts.use(zone);
    const published = limitsOf.get(host);
    if (published) {
      const { rate, burst } = published;
      limits[new URL(registry.baseUrl).host] = { rate, burst };
    }
    for (const tld of ofHost) {
      registries[tld] = registry.baseUrl;
      suffixes[tld] = { dns: zone.servers };
    }
  }
  const sources = parts.use(
    await writeBootstrap({ suffixes: { '': { dns: null, das: null, whois: null }, ...suffixes } }),
  );
  const limitsFile = parts.use(await writeBootstrap(limits));
  const running = parts.move();
  return {
    registries,
    sourcesFile: sources.path,
    limitsFile: limitsFile.path,
    rdap,
    dns,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/**
 * Returns whether a name is registered: names that controls and canaries look up, nine of ten under
 * com, two of three under other old TLDs, and two of five under the others.
 */
export function isRegistered(name: string): boolean {
  if (/^(?:nic|google|amazon|facebook)\./.test(name)) return true;
  const tld = name.slice(name.lastIndexOf('.') + 1);
  const share = tld === 'com' ? 90 : tld.length <= 3 ? 67 : 40;
  return hash(`registered ${name}`) % 100 < share;
}

async function startRegistry(host: string, clock: EventClock, rdap: Tally) {
  const { server, url, ...running } = await startHttpServer((request, response) => {
    clock.touch();
    const name = decodeURIComponent((request.url ?? '').split('/').at(-1) ?? '');
    rdap.record(host, name);
    const isFound = isRegistered(name);
    const body = isFound ? domainObject(name) : { errorCode: 404, title: 'Not Found' };
    clock.after(20 + (hash(`${host} ${name}`) % 60), () => {
      clock.touch();
      response.sendDate = false;
      response.writeHead(isFound ? 200 : 404, { 'content-type': 'application/rdap+json' });
      response.end(JSON.stringify(body));
    });
  });
  server.on('connection', () => clock.touch());
  server.keepAliveTimeout = 600_000;
  return { ...running, baseUrl: `${url}/` };
}

/** Nine of ten registered names are delegated: the others have no name servers. */
function answerQuery(query: FakeDnsQuery): void {
  const { name } = query;
  const isSample = /^(?:google|amazon|facebook)\./.test(name);
  if (isSample || (isRegistered(name) && hash(`delegated ${name}`) % 10 > 0))
    query.send({ authorities: nsRecords(name) });
  else query.send({ flags: 0x400, rcode: 3, authorities: [soaRecord(query.zone)] });
}
