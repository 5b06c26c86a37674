import { describe, expect, it } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startFakeDas } from '../../support/servers/fake-das-server.ts';
import { startFakeZone } from '../../support/servers/fake-zone.ts';
import { writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import {
  bulk,
  events,
  get,
  graphql,
  lines,
  type SendRequest,
} from '../../support/requests/paid-calls.ts';
import { registered } from '../../support/bodies/replies.ts';

const plan = 100;
const record = prices.record(1);

/** `.bare` has only the DNS, `.lt` an availability service, `.example` RDAP. */

const isTaken = (name: string) => /^(?:taken|google)/.test(name);

const das = await forThisFile(startFakeDas, (query) => {
  const name = query.replace('get 1.0 ', '');
  return `Domain: ${name}\nStatus: ${isTaken(name) ? 'registered' : 'available'}\n`;
});
const dns = await forThisFile(startFakeZone, (name) =>
  isTaken(name) && name.endsWith('.bare') ? 'delegated' : 'nxdomain',
);
const { servers } = dns;
const file = await forThisFile(writeBootstrap, {
  suffixes: {
    '': { dns: null },
    bare: { dns: servers },
    lt: { das: `${das.host}:${das.port}`, dns: servers },
  },
});
const metered = await forThisFile(startMeteredGateway, { env: { SOURCES_FILE: file.path } });
metered.registry.on(/^taken/, ({ name }) => registered(name));

const recordOf = (domain: string) =>
  graphql(`{ domain(name: "${domain}") { status rdap { handle } } }`);
const records = (...domains: readonly string[]) =>
  graphql(`{ domains(domains: ${JSON.stringify(domains)}) { status rdap { handle } } }`);
const stream = (...domains: readonly string[]) =>
  events(
    `subscription { availability(domains: ${JSON.stringify(domains)}) { status rdap { handle } } }`,
  );

const rows: readonly (readonly [string, number, number, SendRequest])[] = [
  ['a record of RDAP', record, record, get('/v1/rdap?domain=taken.example')],
  ['a name that only the DNS answers', record, 1, get('/v1/rdap?domain=taken.bare')],
  ['a registered name of an availability service', record, 1, get('/v1/rdap?domain=taken.lt')],
  ['an available name of an availability service', record, 1, get('/v1/rdap?domain=free.lt')],
  ['a name that is not delegated', record, 0, get('/v1/rdap?domain=free.bare')],
  ['a record of RDAP in GraphQL', record, record, recordOf('taken.example')],
  ['a name that only the DNS answers in GraphQL', record, 1, recordOf('taken.bare')],
  ['a name of an availability service in GraphQL', record, 1, recordOf('taken.lt')],
  ['a name that is not delegated in GraphQL', record, 0, recordOf('free.bare')],
  [
    'its registrar’s record',
    record,
    1,
    graphql('{ domain(name: "taken.bare") { registrarRdap { handle } } }'),
  ],
  ['a record of its id', record, 1, graphql('{ node(id: "rdap:taken.bare") { id } }')],
  [
    'a list of records',
    prices.record(4),
    record + 2,
    records('taken.example', 'taken.bare', 'taken.lt', 'free.bare'),
  ],
  [
    'a stream of records',
    prices.record(4),
    record + 2,
    stream('taken.example', 'taken.bare', 'taken.lt', 'free.bare'),
  ],
  // Without a record, the price is that of other names.
  ['a verdict of the DNS', 1, 1, get('/v1/status?domain=taken.bare')],
  ['a verdict of an availability service', 1, 1, get('/v1/status?domain=free.lt')],
  ['no verdict of the DNS', 1, 0, get('/v1/status?domain=free.bare')],
  [
    'a bulk call',
    3,
    2,
    bulk({ domains: ['taken.example', 'taken.bare', 'other.bare', 'free.bare'] }),
  ],
  [
    'streamed bulk lines',
    3,
    2,
    lines({ domains: ['taken.example', 'taken.bare', 'other.bare', 'free.bare'] }),
  ],
];

describe('the cost of names without a record', () => {
  // In the second round, all verdicts come from the cache.
  it.each(rows)(
    'is the same in the response and in the ledger for %s: %i requested, %i charged',
    async (_, requested, charged, send) => {
      for (let time = 0; time < 2; time++) {
        const customer = await metered.newCustomer({ credits: plan });
        const { cost } = await send(customer);
        const refunded = requested - charged;
        expect(cost).toEqual({ requested, charged, refunded, remaining: plan - charged });
        expect(await customer.balance()).toMatchObject({ used: charged });
      }
      expect(await metered.ledger.check()).toEqual([]);
    },
  );
});
