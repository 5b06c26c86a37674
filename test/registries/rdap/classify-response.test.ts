import { describe, expect, it } from 'vitest';
import { parseDomainName, splitName } from '../../../src/domain/names/domain-name.ts';
import type { Json } from '../../../src/domain/registration.ts';
import {
  classifyResponse,
  type RdapResponse,
} from '../../../src/registries/rdap/classify-response.ts';
import { domainObject } from '../../support/bodies/domain-object.ts';

const name = parseDomainName('bücher.test');
const ascii = 'xn--bcher-kva.test';

/** Returns a regular response of the name's registry, with changes. */
function response(changes: Partial<RdapResponse>): RdapResponse {
  const regular = {
    status: 200,
    mediaType: 'application/rdap+json',
    isEmpty: false,
    isDelimited: true,
    json: undefined,
    isOwnHost: true,
    is404Trusted: true,
  };
  return { ...regular, ...changes };
}

const found = (overrides: Parameters<typeof domainObject>[1] = {}) =>
  domainObject(ascii, overrides) as Json;
/** The object of a name that is not registered. */
const unregistered = (status: Json, members: Record<string, Json> = {}) => ({
  json: { objectClassName: 'domain', ldhName: ascii, status, ...members },
});
const withStatuses = (...statuses: string[]) => ({ json: found({ statuses }) });
const without = (member: string) => found({ members: { [member]: undefined } });
const error = (errorCode: Json, members: Record<string, Json> = {}): Json => ({
  errorCode,
  title: 'Not Found',
  ...members,
});
const notFound = { status: 404, json: error(404) };
const emptyNotFound = { status: 404, isEmpty: true };

/** Returns the classification with its verdict, which is undefined without one. */
function classify(...args: Parameters<typeof classifyResponse>) {
  return { verdict: undefined, ...classifyResponse(...args) };
}

describe('a verdict', () => {
  it.each<[string, Partial<RdapResponse>]>([
    ['with its domain object', { json: found() }],
    ['in upper case and with a final dot', { json: found({ ldhName: 'XN--BCHER-KVA.TEST.' }) }],
    [
      'only in Unicode',
      { json: found({ members: { ldhName: undefined, unicodeName: 'Bücher.test' } }) },
    ],
    ['in Unicode in place of the A-label', { json: found({ ldhName: 'bücher.test' }) }],
    ['without a status', { json: found({ statuses: [] }) }],
    ['in JSON with another media type', { json: found(), mediaType: 'text/html' }],
    ['on hold', withStatuses('client hold', 'server hold')],
    ['free, but with a comment', withStatuses('free (not for sale)')],
    ['past its expiry', { json: found({ expiresAt: '2001-01-01T00:00:00Z' }) }],
    ['in the release process', withStatuses('release process: waiting')],
    ['with the status "free" and another status', withStatuses('free', 'client hold')],
    ['at another host after a redirect', { json: found(), isOwnHost: false }],
    ['at a server whose 404s are not trusted', { json: found(), is404Trusted: false }],
    [
      'with a status that is an object with the key "available"',
      { json: found({ members: { status: { available: false } } }) },
    ],
    [
      'with the status "free" and an unreadable one',
      { json: found({ members: { status: ['free', 7] } }) },
    ],
  ])('is REGISTERED if the name is found %s', (_case, changes) => {
    expect(classify(response(changes), name)).toMatchObject({
      verdict: 'REGISTERED',
      object: { objectClassName: 'domain' },
    });
  });

  it.each<[string, Partial<RdapResponse>]>([
    ['in redemption', withStatuses('redemption period')],
    ['in redemption, in EPP notation', withStatuses('redemptionPeriod')],
    ['in redemption, as a URL', withStatuses('https://icann.org/epp#redemptionPeriod')],
    ['in redemption, in brackets', withStatuses('[redemptionPeriod (https://icann.org/epp#x)]')],
    ['in redemption and pending delete', withStatuses('pending delete', 'redemption period')],
    ['about to be restored', withStatuses('pendingDelete', 'pendingRestore')],
    ['in redemption and reserved', withStatuses('reserved', 'redemption period')],
  ])('is REDEMPTION if the name is %s', (_case, changes) => {
    expect(classify(response(changes), name)).toMatchObject({ verdict: 'REDEMPTION', object: {} });
  });

  it.each<[string, Partial<RdapResponse>]>([
    ['pending delete', withStatuses('client hold', 'pending delete')],
    ['pending delete, in EPP notation', withStatuses('pendingDelete')],
    [
      'pending delete, in upper case and with a link',
      withStatuses('PENDING DELETE https://icann.org/epp#pendingDelete'),
    ],
    ['pending delete and reserved', withStatuses('reserved', 'pending delete')],
    ...[
      'pendingDelete (https://icann.org/epp#pendingDelete)',
      'pendingDelete <http://www.icann.org/epp#pendingDelete>',
      'pendingDelete - www.icann.org/epp#pendingDelete',
      'https://icann.org/epp#pendingDelete',
      'https://www.icann.org/epp#PENDING_DELETE.',
      '(https://icann.org/epp#pendingDelete)',
      '[pendingDelete]',
      '"pending delete"',
      'pendingDelete,',
      'Pending Delete:',
      'clientHold https://icann.org/epp#clientHold pendingDelete https://icann.org/epp#pendingDelete',
      'clientHold; pendingDelete',
      'clientHold\npendingDelete',
      'serverHold pendingDelete',
    ].map((status): [string, Partial<RdapResponse>] => [
      `pending delete, as ${JSON.stringify(status)}`,
      withStatuses(status),
    ]),
    [
      'pending delete, in a comma-separated text',
      { json: found({ members: { status: 'inactive, pendingDelete' } }) },
    ],
  ])('is PENDING_DELETE if the name is %s', (_case, changes) => {
    expect(classify(response(changes), name)).toMatchObject({
      verdict: 'PENDING_DELETE',
      object: {},
    });
  });

  const withheld = (members: Record<string, Json>) => ({ status: 404, json: error(404, members) });
  it.each<[string, Partial<RdapResponse>]>(
    Object.entries({
      'its status is reserved': withStatuses('reserved'),
      'the error’s title says "Registry Reserved"': withheld({ title: 'Registry Reserved' }),
      'the description says "not available for registration"': withheld({
        description: ['Sorry.', 'Not available for registration:'],
      }),
      'the description says "name is reserved"': withheld({
        description: ['The NAME IS RESERVED by policy.'],
      }),
      'the description says "blocked"': withheld({
        description: ['Blocked by a brand protection list.'],
      }),
      'the sentence spans two lines': withheld({
        description: ['This name is not available', 'for registration.'],
      }),
      'the description is a single text': withheld({ description: 'This name is reserved.' }),
      'the description is an object with numeric keys': withheld({
        description: { 0: 'Registry Reserved' },
      }),
      'the description says "DPML block"': withheld({ description: ['This is a DPML block.'] }),
      'the description says "unavailable for registration"': withheld({
        description: ['Domain is unavailable for registration'],
      }),
      'the description says "domain is reserved"': withheld({
        description: ['Domain is reserved by the registry'],
      }),
      'the error has status 200': { json: error(404, { description: ['Blocked.'] }) },
    }),
  )('is RESERVED if %s', (_case, changes) => {
    expect(classify(response(changes), name).verdict).toBe('RESERVED');
  });

  it.each(['{}', '"{}"', "'{}'", '“{}”', '({})', '[{}]', '<{}>', '{}.', '"{}."', ': {}'])(
    'is RESERVED if the name is in the middle of the sentence: %s',
    (written) => {
      const label = written.includes('.') ? name : splitName(name).label;
      for (const its of [name, name.toUpperCase(), label]) {
        for (const sentence of [
          'The domain {} is reserved.',
          'Domain {} reserved by the registry',
        ]) {
          const description = sentence.replace('{}', written.replace('{}', its));
          expect(classify(response(withheld({ description })), name).verdict, description).toBe(
            'RESERVED',
          );
        }
      }
    },
  );

  it('is RESERVED if the label is a word of the phrase', () => {
    for (const input of ['reserved.test', 'domain.test', 'is.test']) {
      const reserved = withheld({ description: ['This domain is reserved.'] });
      expect(classify(response(reserved), parseDomainName(input)).verdict, input).toBe('RESERVED');
    }
  });

  it.each<[string, Partial<RdapResponse>]>([
    ['an RDAP error with 404', notFound],
    [
      'an RDAP error with 404 and a plain media type',
      { ...notFound, mediaType: 'application/json' },
    ],
    ['an RDAP error with 404 and no media type', { ...notFound, mediaType: '' }],
    ['an RDAP error with 404 in a 200', { json: error(404) }],
    ['an RDAP error whose code is the text "404"', { status: 404, json: error('404') }],
    ['a 404 without a body and with the media type of RDAP', emptyNotFound],
    [
      'a 404 without a body and with the media type of JSON',
      { ...emptyNotFound, mediaType: 'application/json' },
    ],
    ['a 200 whose only status is free', unregistered('free')],
    [
      'a 200 whose statuses are free and available',
      unregistered(['Available', 'free'], {
        handle: 'F1',
        nameservers: [],
        secureDNS: { delegationSigned: false },
        events: [
          { eventAction: 'last update of RDAP database', eventDate: '2026-11-01T00:00:00Z' },
        ],
        notices: [{ title: 'Terms of Use', description: ['Names may be reserved.'] }],
        remarks: [{ description: ['This domain name is not registered.'] }],
      }),
    ],
    [
      'a 404 whose notices mention reserved names',
      withheld({ notices: [{ description: ['Names may be reserved or blocked.'] }] }),
    ],
    [
      'a 404 whose remarks mention reserved names',
      withheld({ remarks: ['reserved names are not listed'], description: [] }),
    ],
  ])('is AVAILABLE if the response is %s', (_case, changes) => {
    expect(classify(response(changes), name).verdict).toBe('AVAILABLE');
    expect(classify(response(changes), name)).not.toHaveProperty('object');
  });

  it.each(['{} not found', 'Domain Name: {}', 'No object for {}.'])(
    'is AVAILABLE if the text repeats a name that contains "blocked": %s',
    (sentence) => {
      for (const input of ['blocked.test', 'unblocked.test', 'my-blocked-bücher.test']) {
        const queried = parseDomainName(input);
        for (const written of [queried, queried.toUpperCase(), input]) {
          const available = withheld({ description: [sentence.replace('{}', written)] });
          expect(classify(response(available), queried).verdict, written).toBe('AVAILABLE');
        }
      }
      const blocked = withheld({
        description: [sentence.replace('{}', 'blocked.test'), 'This name is blocked.'],
      });
      expect(classify(response(blocked), parseDomainName('blocked.test')).verdict).toBe('RESERVED');
    },
  );

  it.each(['excessive', 'rate-limit', 'blocked'])(
    'is AVAILABLE if the text repeats only the label: %s',
    (label) => {
      const available = withheld({ description: [`No such domain: "${label}" in zone .test`] });
      expect(classify(response(available), parseDomainName(`${label}.test`)).verdict).toBe(
        'AVAILABLE',
      );
    },
  );

  const otherHost = { isOwnHost: false };
  const unsold = { is404Trusted: false };
  it.each<[string, Partial<RdapResponse>]>([
    ['a 404 in HTML', { status: 404, mediaType: 'text/html' }],
    ['a 404 in HTML with the media type of RDAP', { status: 404 }],
    ['a 404 in other JSON', { status: 404, json: { message: 'Not Found' } }],
    ['a 404 with a list', { status: 404, json: [error(404)] }],
    ['a 404 with another error code', { status: 404, json: error(400) }],
    ['a 404 whose error code is another text', { status: 404, json: error('404 ') }],
    ['a 404 whose error code is a list', { status: 404, json: error([404]) }],
    ['a 404 with a domain object', { status: 404, json: found({ members: { errorCode: 404 } }) }],
    ['a 404 without a body and a media type', { ...emptyNotFound, mediaType: '' }],
    ['a 404 in HTML without a body', { ...emptyNotFound, mediaType: 'text/html' }],
    ['a domain object that is also an error', { json: found({ members: { errorCode: 404 } }) }],
    [
      'a domain object with the status "free" that is also an error',
      { json: found({ statuses: ['free'], members: { errorCode: 429 } }) },
    ],
    ['the status "free" from another host', { ...unregistered('free'), ...otherHost }],
    ['the status "free" with a registration', withStatuses('free')],
    ...Object.entries<Json>({
      nameservers: [{ ldhName: 'ns1.example.net' }],
      events: [{ eventAction: 'expiration', eventDate: '2030-01-01T00:00:00Z' }],
      entities: [{ roles: ['registrar'], vcardArray: ['vcard', [['fn', {}, 'text', 'A']]] }],
      remarks: [{ description: ['The name is sold at auction.'] }],
      secureDNS: { delegationSigned: true },
      publicIds: [{ type: 'IANA Registrar ID', identifier: '292' }],
      expirationDate: '2030-01-01',
    }).map(([member, value]): [string, Partial<RdapResponse>] => [
      `the status "free" with ${member}`,
      unregistered('free', { [member]: value }),
    ]),
    ['a 404 from another host', { ...notFound, ...otherHost }],
    [
      'a 404 that says that the caller is blocked',
      withheld({ description: ['Your IP address was blocked due to excessive queries.'] }),
    ],
    ['a 404 that says that there were too many requests', withheld({ title: 'Too many requests' })],
    ['a 404 that mentions a rate limit', withheld({ description: ['Query rate limit exceeded'] })],
    ['a 404 without a body from another host', { ...emptyNotFound, ...otherHost }],
    ['an error with 404 in a 200 from another host', { json: error(404), ...otherHost }],
    ['a 404 for a suffix that it does not sell', { ...notFound, ...unsold }],
    ['a 404 without a body for a suffix that it does not sell', { ...emptyNotFound, ...unsold }],
    ['an error with 404 in a 200 for such a suffix', { json: error(404), ...unsold }],
    [
      'a reserved name for such a suffix',
      { ...withheld({ title: 'Registry Reserved' }), ...unsold },
    ],
    ['a 200 in HTML', { mediaType: 'text/html' }],
    ['a 200 with broken JSON', { json: undefined }],
    ['a 200 without a body', { isEmpty: true }],
    ['a 200 with a list', { json: [found()] }],
    ['a 200 with null', { json: null }],
    ['a 200 with an empty object', { json: {} }],
    ['the object of another domain', { json: found({ ldhName: 'other.test' }) }],
    [
      'the object of another domain with the status "free"',
      { json: found({ ldhName: 'other.test', statuses: ['free'] }) },
    ],
    ['the object of a subdomain', { json: found({ ldhName: `www.${ascii}` }) }],
    ['the object of the parent domain', { json: found({ ldhName: 'test' }) }],
    ['an object without a name', { json: without('ldhName') }],
    ['an object whose name is not a text', { json: found({ members: { ldhName: 7 } }) }],
    ['an object without a class', { json: without('objectClassName') }],
    ['the object of a nameserver', { json: found({ members: { objectClassName: 'nameserver' } }) }],
    ['an error with another code in a 200', { json: error(429) }],
  ])('is UNKNOWN as untrusted if the registry sends %s', (_case, changes) => {
    expect(classify(response(changes), name)).toMatchObject({
      verdict: undefined,
      problem: { code: 'untrusted_answer' },
    });
    expect(classify(response(changes), name)).not.toHaveProperty('failure');
  });

  it.each([429, 503])(
    'is UNKNOWN as busy, with its Retry-After, if the registry returns %i',
    (status) => {
      expect(classify(response({ ...notFound, status, retryAfter: 7 }), name)).toMatchObject({
        verdict: undefined,
        problem: { code: 'registry_busy', retryAfter: 7 },
        failure: 'busy',
      });
      expect(classify(response({ status, json: found() }), name)).toMatchObject({
        problem: { code: 'registry_busy', retryAfter: undefined },
      });
    },
  );

  it.each([500, 501, 520, 599])(
    'is UNKNOWN if the registry returns %i: with a body, the host is up; without one, it is down',
    (status) => {
      const unknown = { verdict: undefined, problem: { code: 'registry_error' } };
      expect(classify(response({ ...notFound, status }), name)).toMatchObject({
        ...unknown,
        failure: 'server_error',
      });
      expect(classify(response({ ...notFound, status, contentLength: '0' }), name)).toMatchObject({
        ...unknown,
        failure: 'down',
      });
    },
  );

  it.each([502, 504])(
    'is UNKNOWN, and the host is down, if a proxy in front of the registry returns %i',
    (status) => {
      const classification = classify(response({ ...notFound, status, contentLength: '90' }), name);
      expect(classification).toMatchObject({
        verdict: undefined,
        problem: { code: 'registry_error' },
        failure: 'down',
      });
    },
  );

  it.each([201, 204, 206, 300, 302, 304, 400, 401, 403, 405, 406, 410, 418, 422, 451])(
    'is UNKNOWN as an error without a retry if the registry returns %i',
    (status) => {
      for (const json of [found(), error(404), undefined]) {
        const classification = classify(response({ status, json }), name);
        expect(classification).toMatchObject({
          verdict: undefined,
          problem: { code: 'registry_error' },
        });
        expect(classification).not.toHaveProperty('failure');
      }
    },
  );
});
