import { describe, expect, it } from 'vitest';
import { parseDomainName, splitName } from '../../../src/domain/domain-name.ts';
import type { Json } from '../../../src/domain/registration.ts';
import {
  classifyResponse,
  type RdapResponse,
} from '../../../src/sources/rdap/classify-response.ts';
import { domainObject } from '../../support/domain-object.ts';

const name = parseDomainName('bücher.test');
const ascii = 'xn--bcher-kva.test';

/** What a sound server of the name's own registry sends, unless the row says otherwise. */
function answer(changed: Partial<RdapResponse>): RdapResponse {
  const sound = {
    status: 200,
    mediaType: 'application/rdap+json',
    isEmpty: false,
    isDelimited: true,
    json: undefined,
    isOwnHost: true,
    is404Trusted: true,
  };
  return { ...sound, ...changed };
}

const found = (overrides: Parameters<typeof domainObject>[1] = {}) =>
  domainObject(ascii, overrides) as Json;
const withStatuses = (...statuses: string[]) => ({ json: found({ statuses }) });
const without = (member: string) => found({ members: { [member]: undefined } });
const error = (errorCode: Json, members: Record<string, Json> = {}): Json => ({
  errorCode,
  title: 'Not Found',
  ...members,
});
const absent = { status: 404, json: error(404) };
const nobody = { status: 404, isEmpty: true };

describe('a verdict', () => {
  it.each<[string, Partial<RdapResponse>]>([
    ['the registry sends its object', { json: found() }],
    ['in capitals and with a final dot', { json: found({ ldhName: 'XN--BCHER-KVA.TEST.' }) }],
    [
      'in Unicode alone',
      { json: found({ members: { ldhName: undefined, unicodeName: 'Bücher.test' } }) },
    ],
    ['in Unicode where the A-label belongs', { json: found({ ldhName: 'bücher.test' }) }],
    ['without a status', { json: found({ statuses: [] }) }],
    ['as JSON under another name', { json: found(), mediaType: 'text/html' }],
    ['on hold', withStatuses('client hold', 'server hold')],
    ['past its expiry', { json: found({ expiresAt: '2001-01-01T00:00:00Z' }) }],
    ['while its release is prepared', withStatuses('release process: waiting')],
    ['free, and something else too', withStatuses('free', 'client hold')],
    ['from another host that a redirect led to', { json: found(), isOwnHost: false }],
    ['from a server whose 404 is no proof', { json: found(), is404Trusted: false }],
    [
      'with a status that is no text, whatever its keys say',
      { json: found({ members: { status: { available: false } } }) },
    ],
    [
      'free, and something that cannot be read',
      { json: found({ members: { status: ['free', 7] } }) },
    ],
  ])('is REGISTERED when the name is found %s', (_how, changed) => {
    expect(classifyResponse(answer(changed), name)).toMatchObject({
      verdict: 'REGISTERED',
      object: { objectClassName: 'domain' },
    });
  });

  it.each<[string, Partial<RdapResponse>]>([
    ['in redemption', withStatuses('redemption period')],
    ['in redemption, as EPP writes it', withStatuses('redemptionPeriod')],
    ['in redemption and pending delete', withStatuses('pending delete', 'redemption period')],
    ['about to be restored', withStatuses('pendingDelete', 'pendingRestore')],
    ['in redemption and reserved', withStatuses('reserved', 'redemption period')],
  ])('is REDEMPTION when the name is %s', (_how, changed) => {
    expect(classifyResponse(answer(changed), name)).toMatchObject({
      verdict: 'REDEMPTION',
      object: {},
    });
  });

  it.each<[string, Partial<RdapResponse>]>([
    ['pending delete', withStatuses('client hold', 'pending delete')],
    ['pending delete, as EPP writes it', withStatuses('pendingDelete')],
    [
      'pending delete, in capitals and with a link',
      withStatuses('PENDING DELETE https://icann.org/epp#pendingDelete'),
    ],
    ['pending delete and reserved', withStatuses('reserved', 'pending delete')],
    [
      'pending delete in a text of several',
      { json: found({ members: { status: 'inactive, pendingDelete' } }) },
    ],
  ])('is PENDING_DELETE when the name is %s', (_how, changed) => {
    expect(classifyResponse(answer(changed), name)).toMatchObject({
      verdict: 'PENDING_DELETE',
      object: {},
    });
  });

  const withheld = (members: Record<string, Json>) => ({ status: 404, json: error(404, members) });
  it.each<[string, Partial<RdapResponse>]>([
    ['its status is reserved', withStatuses('reserved')],
    ['the error’s title says "Registry Reserved"', withheld({ title: 'Registry Reserved' })],
    [
      'the description says "not available for registration"',
      withheld({ description: ['Sorry.', 'Not available for registration:'] }),
    ],
    [
      'the description says "name is reserved"',
      withheld({ description: ['The NAME IS RESERVED by policy.'] }),
    ],
    [
      'the description says "blocked"',
      withheld({ description: ['Blocked by a brand protection list.'] }),
    ],
    [
      'the sentence runs over two lines',
      withheld({ description: ['This name is not available', 'for registration.'] }),
    ],
    ['the description is one text', withheld({ description: 'This name is reserved.' })],
    [
      'the description is a list as PHP writes it',
      withheld({ description: { 0: 'Registry Reserved' } }),
    ],
    [
      'the description says that a block stands in the way',
      withheld({ description: ['This is a DPML block.'] }),
    ],
    [
      'the description says "unavailable for registration"',
      withheld({ description: ['Domain is unavailable for registration'] }),
    ],
    [
      'the description says "domain is reserved"',
      withheld({ description: ['Domain is reserved by the registry'] }),
    ],
    ['the error came with a 200', { json: error(404, { description: ['Blocked.'] }) }],
  ])('is RESERVED when %s', (_how, changed) => {
    expect(classifyResponse(answer(changed), name).verdict).toBe('RESERVED');
  });

  it.each(['{}', '"{}"', "'{}'", '“{}”', '({})', '[{}]', '<{}>', '{}.', '"{}."', ': {}'])(
    'is RESERVED when the name stands in the middle of the sentence: %s',
    (written) => {
      const label = written.includes('.') ? name : splitName(name).label;
      for (const its of [name, name.toUpperCase(), label]) {
        for (const sentence of [
          'The domain {} is reserved.',
          'Domain {} reserved by the registry',
        ]) {
          const description = sentence.replace('{}', written.replace('{}', its));
          expect(
            classifyResponse(answer(withheld({ description })), name).verdict,
            description,
          ).toBe('RESERVED');
        }
      }
    },
  );

  it('is RESERVED when the label is one of the words that say so', () => {
    for (const typed of ['reserved.test', 'domain.test', 'is.test']) {
      const said = withheld({ description: ['This domain is reserved.'] });
      expect(classifyResponse(answer(said), parseDomainName(typed)).verdict, typed).toBe(
        'RESERVED',
      );
    }
  });

  it.each<[string, Partial<RdapResponse>]>([
    ['an RDAP error with 404', absent],
    ['an RDAP error with 404 and a plain media type', { ...absent, mediaType: 'application/json' }],
    ['an RDAP error with 404 and no media type', { ...absent, mediaType: '' }],
    ['an RDAP error with 404 and a 200 before it', { json: error(404) }],
    ['a 404 with no body and the media type of RDAP', nobody],
    ['a 404 with no body and the media type of JSON', { ...nobody, mediaType: 'application/json' }],
    ['a 200 whose only status is free', withStatuses('free')],
    ['a 200 whose statuses are free and available', withStatuses('Available', 'free')],
    [
      'a 404 whose notices speak of reserved names',
      withheld({ notices: [{ description: ['This name is reserved. Blocked.'] }] }),
    ],
    [
      'a 404 whose remarks and title are silent',
      withheld({ remarks: ['registry reserved'], description: [] }),
    ],
  ])('is AVAILABLE when the proof is %s', (_what, changed) => {
    expect(classifyResponse(answer(changed), name).verdict).toBe('AVAILABLE');
    expect(classifyResponse(answer(changed), name)).not.toHaveProperty('object');
  });

  it.each(['{} not found', 'Domain Name: {}', 'No object for {}.'])(
    'is AVAILABLE when a name with "blocked" in it is repeated: %s',
    (words) => {
      for (const typed of ['blocked.test', 'unblocked.test', 'my-blocked-bücher.test']) {
        const asked = parseDomainName(typed);
        for (const written of [asked, asked.toUpperCase(), typed]) {
          const said = withheld({ description: [words.replace('{}', written)] });
          expect(classifyResponse(answer(said), asked).verdict, written).toBe('AVAILABLE');
        }
      }
      const said = withheld({
        description: [words.replace('{}', 'blocked.test'), 'This name is blocked.'],
      });
      expect(classifyResponse(answer(said), parseDomainName('blocked.test')).verdict).toBe(
        'RESERVED',
      );
    },
  );

  it.each(['excessive', 'rate-limit', 'blocked'])(
    'is AVAILABLE when the label alone is repeated: %s',
    (label) => {
      const said = withheld({ description: [`No such domain: "${label}" in zone .test`] });
      expect(classifyResponse(answer(said), parseDomainName(`${label}.test`)).verdict).toBe(
        'AVAILABLE',
      );
    },
  );

  const otherHost = { isOwnHost: false };
  const unsold = { is404Trusted: false };
  it.each<[string, Partial<RdapResponse>]>([
    ['a 404 in HTML', { status: 404, mediaType: 'text/html' }],
    ['a 404 in HTML under the media type of RDAP', { status: 404 }],
    ['a 404 in some other JSON', { status: 404, json: { message: 'Not Found' } }],
    ['a 404 with a list', { status: 404, json: [error(404)] }],
    ['a 404 with an error of another code', { status: 404, json: error(400) }],
    ['a 404 whose code is a text', { status: 404, json: error('404') }],
    [
      'a 404 with the object of a domain',
      { status: 404, json: found({ members: { errorCode: 404 } }) },
    ],
    ['a 404 with nothing at all', { ...nobody, mediaType: '' }],
    ['a 404 in HTML with no body', { ...nobody, mediaType: 'text/html' }],
    ['a domain object that is an error too', { json: found({ members: { errorCode: 404 } }) }],
    [
      'a free one that is an error too',
      { json: found({ statuses: ['free'], members: { errorCode: 429 } }) },
    ],
    ['a free one from another host', { ...withStatuses('free'), ...otherHost }],
    ['a 404 from another host', { ...absent, ...otherHost }],
    [
      'a 404 that says that the caller is blocked',
      withheld({ description: ['Your IP address was blocked due to excessive queries.'] }),
    ],
    ['a 404 that says that there were too many requests', withheld({ title: 'Too many requests' })],
    ['a 404 that speaks of a rate limit', withheld({ description: ['Query rate limit exceeded'] })],
    ['a 404 with no body from another host', { ...nobody, ...otherHost }],
    ['an error with 404 in a 200 from another host', { json: error(404), ...otherHost }],
    ['a 404 under a suffix that it does not sell', { ...absent, ...unsold }],
    ['a 404 with no body under a suffix that it does not sell', { ...nobody, ...unsold }],
    ['an error with 404 in a 200 under such a suffix', { json: error(404), ...unsold }],
    [
      'a reserved name under such a suffix',
      { ...withheld({ title: 'Registry Reserved' }), ...unsold },
    ],
    ['a 200 in HTML', { mediaType: 'text/html' }],
    ['a 200 with broken JSON', { json: undefined }],
    ['a 200 with no body', { isEmpty: true }],
    ['a 200 with a list', { json: [found()] }],
    ['a 200 with null', { json: null }],
    ['a 200 with an empty object', { json: {} }],
    ['another domain’s object', { json: found({ ldhName: 'other.test' }) }],
    [
      'another domain’s object that says it is free',
      { json: found({ ldhName: 'other.test', statuses: ['free'] }) },
    ],
    ['the object of a name below', { json: found({ ldhName: `www.${ascii}` }) }],
    ['the object of a name above', { json: found({ ldhName: 'test' }) }],
    ['an object without a name', { json: without('ldhName') }],
    ['an object whose name is no text', { json: found({ members: { ldhName: 7 } }) }],
    ['an object of no class', { json: without('objectClassName') }],
    ['the object of a nameserver', { json: found({ members: { objectClassName: 'nameserver' } }) }],
    ['an error of another code in a 200', { json: error(429) }],
  ])('is withheld as untrusted when the registry sends %s', (_what, changed) => {
    expect(classifyResponse(answer(changed), name)).toMatchObject({
      verdict: 'UNKNOWN',
      problem: { code: 'untrusted_answer' },
    });
    expect(classifyResponse(answer(changed), name)).not.toHaveProperty('failure');
  });

  it.each([429, 503])(
    'is withheld as busy when the registry says %i, with the time it named',
    (status) => {
      expect(classifyResponse(answer({ ...absent, status, retryAfter: 7 }), name)).toMatchObject({
        verdict: 'UNKNOWN',
        problem: { code: 'registry_busy', retryAfter: 7 },
        failure: 'busy',
      });
      expect(classifyResponse(answer({ status, json: found() }), name)).toMatchObject({
        problem: { code: 'registry_busy', retryAfter: undefined },
      });
    },
  );

  it.each([500, 501, 520, 599])(
    'is UNKNOWN when the registry answers %i: with a body the host is up, without one it is down',
    (status) => {
      const unknown = { verdict: 'UNKNOWN', problem: { code: 'registry_error' } };
      expect(classifyResponse(answer({ ...absent, status }), name)).toMatchObject({
        ...unknown,
        failure: 'server_error',
      });
      expect(
        classifyResponse(answer({ ...absent, status, contentLength: '0' }), name),
      ).toMatchObject({
        ...unknown,
        failure: 'down',
      });
    },
  );

  it.each([502, 504])(
    'is UNKNOWN, and the host is down, when a gateway before the registry answers %i',
    (status) => {
      const judged = classifyResponse(answer({ ...absent, status, contentLength: '90' }), name);
      expect(judged).toMatchObject({
        verdict: 'UNKNOWN',
        problem: { code: 'registry_error' },
        failure: 'down',
      });
    },
  );

  it.each([201, 204, 206, 300, 302, 304, 400, 401, 403, 405, 406, 410, 418, 422, 451])(
    'is withheld as an error when the registry refuses with %i, which asking again would not help',
    (status) => {
      for (const json of [found(), error(404), undefined]) {
        const judged = classifyResponse(answer({ status, json }), name);
        expect(judged).toMatchObject({ verdict: 'UNKNOWN', problem: { code: 'registry_error' } });
        expect(judged).not.toHaveProperty('failure');
      }
    },
  );
});
