import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startBenchGateway } from '../bench-gateway.ts';
import { compare, type Figure, type Scale } from '../figures.ts';
import { startChildProcess } from '../part.ts';
import { evenPlan, isTaken, startRegistries } from '../servers/registries.ts';
import { startRival, type RivalTimes, type WhoisRivalName } from '../rivals.ts';
import { search, type SearchTimes } from '../searching.ts';
import { startZones } from '../servers/zones.ts';

const [tlds, servers] = [300, 60];

/**
 * One label under 300 TLDs of 60 WHOIS servers at 20 ms, one connection at a time each, compared
 * with a library and with the command `whois`, both of which leave the verdict to a search for
 * `No match for`. Three servers fail. The gateway queries the DNS first, which takes 10 to 30 ms.
 */
export async function whoisRivals({ rounds }: Scale): Promise<readonly Figure[]> {
  const hasCommand = spawnSync('whois', ['--version']).error === undefined;
  if (!hasCommand) console.log('The command whois is not installed: not compared.');
  const names: readonly WhoisRivalName[] = hasCommand ? ['whoiser', 'whois'] : ['whoiser'];
  const figures: Figure[] = [];
  for (const name of names) figures.push(await against(name, rounds));
  return figures;
}

async function against(name: WhoisRivalName, rounds: number): Promise<Figure> {
  const plan = evenPlan(tlds, servers);
  await using whois = await startChildProcess<readonly string[]>(
    join(import.meta.dirname, '../servers/whois-servers-process.ts'),
    String(servers),
    '20',
  );
  const serverOf = new Map(plan.map(([tld, server]) => [tld, whois.ready[server] ?? '']));
  await using zones = await startZones('controls');
  const sources = Array.from(serverOf, ([tld, server]) => [
    tld,
    {
      whois: {
        server,
        samples: [`held.${tld}`],
        available: ['No match for {name}'],
        registered: ['Domain Name: {name}'],
      },
    },
  ]);
  await using file = await writeBootstrap({
    suffixes: { '': { dns: zones.servers }, ...Object.fromEntries(sources) },
  });
  await using registries = await startRegistries({ plan: [], latencyMs: 0 });
  await using limits = await writeBootstrap(
    Object.fromEntries(whois.ready.map((server) => [server, { rate: 1000, burst: 1000 }])),
  );
  await using gateway = await startBenchGateway({
    registries,
    env: { SOURCES_FILE: file.path, RDAP_LIMITS: limits.path },
  });
  await using rival = await startRival(name, { bootstrapUrl: '', baseUrls: serverOf }, 1);
  const ours: SearchTimes[] = [];
  const theirs: RivalTimes[] = [];
  // The controls: that each zone and each server finds a registered name, and no random one.
  await search(gateway, 'held', plan);
  await search(gateway, 'free', plan);
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await search(gateway, `mostly-${round}`, plan));
    theirs.push(await rival.search(`mostly-${round}`));
  }
  const what = `1 label × ${tlds} TLDs of ${servers} WHOIS servers, 3 of which fail, last row: ${name}`;
  const taken = plan.filter(([tld]) => isTaken(`mostly-0.${tld}`)).length;
  return compare(
    {
      id: `whois ${name}`,
      what,
      unit: 'ms',
      target: { atMost: 2 },
      note: `gateway ${inWords(ours)}; ${name} ${inWords(theirs)}; ${taken} of ${tlds} are registered in the first search`,
    },
    ours.map(({ last }, index) => [last, theirs[index]?.last ?? NaN]),
  );
}

function inWords(searches: readonly RivalTimes[]): string {
  const sum = (of: (times: RivalTimes) => number) =>
    searches.reduce((total, times) => total + of(times), 0);
  return `${sum(({ wrong }) => wrong)} verdicts wrong, ${sum(({ unknown }) => unknown)} unknown, of ${searches.length * tlds}`;
}
