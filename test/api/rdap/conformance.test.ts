import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import {
  violationsIn,
  violationsInError,
  violationsInHelp,
} from '../../support/checks/rdap-conformance.ts';
import { html, registered, status } from '../../support/bodies/replies.ts';

const metered = await forThisFile(startMeteredGateway);
metered.registry.on(/^taken/, ({ name }) => registered(name));
metered.registry.on(/^bare/, ({ name }) =>
  registered(name, { members: { rdapConformance: undefined, notices: undefined } }),
);
metered.registry.on(/^html/, html(404));
metered.registry.on(/^broken/, status(500));
const customer = await metered.newCustomer();

async function send(path: string, init?: RequestInit) {
  const response = await customer.fetch(path, init);
  expect(response.headers.get('content-type')).toBe('application/rdap+json');
  return { status: response.status, body: await response.json() };
}

describe('responses conform to RFC 9083', () => {
  it.each(['/rdap/domain/taken.example', '/rdap/domain/bare.example', '/rdap/domain/taken.test'])(
    'of %s',
    async (path) => {
      const { status: code, body } = await send(path);
      expect([code, violationsIn(body, 'domain')]).toEqual([200, []]);
    },
  );

  it('of /rdap/help', async () => {
    const { status: code, body } = await send('/rdap/help');
    expect([code, violationsInHelp(body)]).toEqual([200, []]);
  });

  it.each([
    ['/rdap', {}, 400],
    ['/rdap/domain/no', {}, 400],
    ['/rdap/domain/taken.example?max_age=-1', {}, 400],
    ['/rdap/domain/taken.example', { headers: { 'x-api-key': 'wrong' } }, 401],
    ['/rdap/domain/free.example', {}, 404],
    ['/rdap/domain/taken.example', { method: 'POST' }, 405],
    ['/rdap/domain/taken.example', { headers: { accept: 'image/png' } }, 406],
    ['/rdap/domains?name=a*', {}, 501],
    ['/rdap/domain/html.example', {}, 502],
    ['/rdap/domain/broken.example', {}, 502],
  ])('of the error for %s %j', async (path, init, expected) => {
    const { status: code, body } = await send(path, init);
    expect([code, violationsInError(body, code)]).toEqual([expected, []]);
  });
});

it('the check finds violations', () => {
  const body = {
    objectClassName: 'domain',
    notices: { title: 1 },
    lang: '?',
    events: [{ eventAction: 'registration', eventDate: '2001-02-30' }],
    links: [{ href: 'x' }],
    secureDNS: { delegationSigned: 'false' },
    entities: [{ objectClassName: 'entity', vcardArray: ['vcard', ['fn']] }],
  };
  expect(violationsIn(body, 'domain').map((each) => each.split(':')[0])).toEqual([
    'rdapConformance',
    'notices',
    'lang',
    'rdapConformance',
    'links[0].value',
    'links[0].rel',
    'links[0].href',
    'events[0].eventDate',
    'lang',
    'entities[0].vcardArray[1][0]',
    'ldhName',
    'secureDNS.delegationSigned',
  ]);
  expect(violationsInError({ rdapConformance: ['rdap_level_0'], errorCode: '404' }, 404)).toEqual([
    'errorCode: not 404',
  ]);
});
