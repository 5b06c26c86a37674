import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { domainObject } from '../../support/bodies/domain-object.ts';
import { startFakeDas } from '../../support/servers/fake-das-server.ts';
import { startFakeZone } from '../../support/servers/fake-zone.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { hang } from '../../support/bodies/hostile-replies.ts';
import { html, json, notFound, registered, status } from '../../support/bodies/replies.ts';

/** `.bare` has only the DNS, `.lt` an availability service, `.listed` RDAP and the DNS. */

const terms = { title: 'Terms of Service', description: ['Ask nicely.'] };

const registry = await forThisFile(startFakeRegistry);
registry.on(/^(?:taken|nic|xn--bcher)/, ({ name }) => registered(name));
registry.on('full.example', registered('full.example', { members: { notices: [terms] } }));
registry.on(/^html/, html(404));
registry.on(/^broken/, status(500));
registry.on('reserved.example', notFound('This name is reserved.', 'Name is reserved'));
const das = await forThisFile(startFakeDas, (query) => {
  const name = query.replace('get 1.0 ', '');
  return `Domain: ${name}\nStatus: ${/^(?:taken|google)/.test(name) ? 'registered' : 'available'}\n`;
});
const dns = await forThisFile(startFakeZone, (name) =>
  /^(?:taken|broken|google)/.test(name) && !name.endsWith('.lt') ? 'delegated' : 'nxdomain',
);
const sources = await forThisFile(writeBootstrap, {
  suffixes: {
    '': { dns: dns.servers },
    example: { dns: null },
    lt: { das: `${das.host}:${das.port}` },
    bare: {},
  },
});
const gateway = await forThisFile(startGateway, {
  registries: { example: registry.baseUrl, listed: registry.baseUrl },
  env: { SOURCES_FILE: sources.path, RDAP_TIMEOUT_MS: '1000' },
});

async function lookup(path: string, init: RequestInit = {}) {
  const response = await gateway.fetch(path, init);
  expect(response.headers.get('content-type')).toBe('application/rdap+json');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  const text = await response.text();
  return { response, status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

describe('/rdap/domain', () => {
  it('relays the object of the registry with a notice about its source', async () => {
    const { status: code, body } = await lookup('/rdap/domain/FULL.example');
    const url = `${gateway.url}/rdap/domain/FULL.example`;
    expect(code).toBe(200);
    expect(body).toEqual({
      ...domainObject('full.example'),
      notices: [
        terms,
        {
          title: 'Source',
          description: [
            expect.stringMatching(
              /^Relayed by RDAP Gateway\. Answered by http:\S+\/domain\/full\.example at \d{4}-\S+Z\.$/,
            ),
            'Not cached: looked up for this request.',
          ],
          links: [
            {
              value: url,
              rel: 'via',
              href: `${registry.baseUrl}domain/full.example`,
              type: 'application/rdap+json',
            },
          ],
        },
      ],
    });
  });

  it('relays JSON as a JavaScript program reads it', async () => {
    const name = 'odd-values.example';
    const members =
      '"b":1,"__proto__":{"toJSON":"x"},"é":"\\u2028\\ud83d","n":12345678901234567890,"f":1e400,"d":1,"d":2';
    const object = JSON.stringify(domainObject(name)).replace(/\}$/, `,${members}}`);
    registry.on(name, status(200, { 'content-type': 'application/rdap+json' }, object));
    const text = await (await gateway.fetch(`/rdap/domain/${name}`)).text();
    expect(text).toContain(
      '"b":1,"__proto__":{"toJSON":"x"},"é":"\u2028\\ud83d","n":"12345678901234567890","f":null,"d":2',
    );
  });

  it.each([
    ['absent', undefined, ['rdap_level_0']],
    ['without the base level', ['icann_rdap_1'], ['rdap_level_0', 'icann_rdap_1']],
    ['complete', ['icann_rdap_1', 'rdap_level_0'], ['icann_rdap_1', 'rdap_level_0']],
    ['not an array', 'rdap_level_0', ['rdap_level_0']],
  ])('names the base conformance if it is %s', async (what, rdapConformance, expected) => {
    const name = `conformance-${what.replaceAll(' ', '-')}.example`;
    registry.on(name, registered(name, { members: { rdapConformance } }));
    expect((await lookup(`/rdap/domain/${name}`)).body.rdapConformance).toEqual(expected);
  });

  it.each([
    ['one notice without an array', terms, [terms]],
    ['null', null, []],
  ])('adds its notice if the registry sends %s', async (what, notices, expected) => {
    const name = `notices-${what.replaceAll(' ', '-')}.example`;
    registry.on(name, registered(name, { members: { notices } }));
    const { body } = await lookup(`/rdap/domain/${name}`);
    expect(body.notices.slice(0, -1)).toEqual(expected);
  });

  it.each([
    ['percent-encoded Unicode', 'b%C3%BCcher.example', 'xn--bcher-kva.example'],
    ['a final dot', 'taken-dot.example.', 'taken-dot.example'],
  ])('accepts %s', async (_what, argument, ldhName) => {
    expect((await lookup(`/rdap/domain/${argument}`)).body.ldhName).toBe(ldhName);
  });

  it('answers HEAD like GET, without a body', async () => {
    const { response, body } = await lookup('/rdap/domain/taken-head.example', { method: 'HEAD' });
    expect([response.status, body]).toEqual([200, undefined]);
    const missing = await lookup('/rdap/domain/free-head.example', { method: 'HEAD' });
    expect(missing.status).toBe(404);
  });

  it('works with the sandbox', async () => {
    expect((await lookup('/rdap/domain/taken.test')).body.ldhName).toBe('taken.test');
    expect((await lookup('/rdap/domain/free.test')).status).toBe(404);
  });

  it('ignores unknown parameters', async () => {
    expect((await lookup('/rdap/domain/taken-query.example?a=1&naming=x&a=2')).status).toBe(200);
  });
});

describe('max_age', () => {
  it('limits the age of cached answers', async () => {
    const path = '/rdap/domain/taken-age.example';
    const states = [];
    for (const query of ['', '', '?max_age=0'])
      states.push((await lookup(path + query)).body.notices.at(-1).description[1]);
    expect(states.map((state) => state.split(':')[0])).toEqual([
      'Not cached',
      'Cached',
      'Not cached',
    ]);
    expect(registry.requestCount('taken-age.example')).toBe(2);
  });

  it('must be a whole number', async () => {
    expect((await lookup('/rdap/domain/taken.example?max_age=x')).status).toBe(400);
  });
});

/** Returns the status of an error, and the problem code in its last notice. */
function errorOf({ status: code, body }: { readonly status: number; readonly body: Json }) {
  expect(body.errorCode).toBe(code);
  const notice = body.notices.at(-1);
  const [problem] = notice.description;
  expect(notice.links[0].href).toBe(`${gateway.url}/docs/errors#${problem}`);
  return [code, problem];
}

describe('names without an object', () => {
  it.each([
    ['the registry has no object', 'free.example', 404, 'not_found'],
    ['the registry reserves the name', 'reserved.example', 404, 'not_found'],
    ['the availability service reports it as available', 'free.lt', 404, 'not_found'],
    ['only an availability service knows it', 'taken.lt', 501, 'no_rdap'],
    ['only the DNS knows it', 'taken.bare', 501, 'no_rdap'],
    ['the DNS has it, but RDAP failed', 'broken.listed', 502, 'registry_error'],
    ['its TLD has no server that proves absence', 'free.bare', 502, 'not_delegated'],
    ['the registry fails', 'broken.example', 502, 'registry_error'],
    ['the 404 is no RDAP response', 'html.example', 502, 'untrusted_answer'],
    ['the TLD does not exist', 'a.no-such-tld', 400, 'unsupported_tld'],
    ['it is too deep', 'www.taken.example', 400, 'invalid_name'],
    ['it is a TLD', 'example', 400, 'invalid_name'],
    ['it is an address', '192.0.2.1', 400, 'invalid_name'],
    ['it contains a slash', 'taken.example/x', 400, 'invalid_name'],
    ['it is not UTF-8', '%ff.example', 400, 'invalid_parameter'],
    ['it is missing', '', 400, 'missing_parameter'],
  ])('%s', async (_what, name, code, problem) => {
    const answer = await lookup(`/rdap/domain/${name}`);
    expect(errorOf(answer)).toEqual([code, problem]);
  });

  it.each([
    ['is busy', status(429, { 'retry-after': '7' }), 503, 'registry_busy', '7'],
    ['does not respond', hang(), 504, 'registry_timeout', null],
  ])('the registry %s', async (_what, reply, code, problem, retryAfter) => {
    await using failing = await startFakeRegistry();
    failing.fallback(reply);
    await using other = await startGateway({
      registries: { example: failing.baseUrl },
      env: { RDAP_TIMEOUT_MS: '1000' },
    });
    const response = await other.fetch('/rdap/domain/a.example');
    const body: Json = await response.json();
    expect([response.status, body.errorCode]).toEqual([code, code]);
    expect(body.notices.at(-1).description).toEqual([problem]);
    expect(response.headers.get('retry-after')).toBe(retryAfter);
  });

  it('states the source of a 404', async () => {
    const { body } = await lookup('/rdap/domain/free-source.example');
    expect(body.notices[0].links[0].href).toBe(`${registry.baseUrl}domain/free-source.example`);
  });
});

describe('other requests', () => {
  it.each([
    ['/rdap', 400, 'invalid_parameter'],
    ['/rdap/', 400, 'invalid_parameter'],
    ['/rdap/domain', 400, 'missing_parameter'],
    ['/rdap/thing/a.example', 400, 'invalid_parameter'],
    ['/rdap//domain/a.example', 400, 'invalid_parameter'],
    ['/rdap/help/me', 400, 'invalid_parameter'],
    ['/rdap/toString/x', 400, 'invalid_parameter'],
    ['/rdap/domains?name=a*.example', 501, 'not_implemented'],
    ['/rdap/nameservers?ip=192.0.2.1', 501, 'not_implemented'],
    ['/rdap/entities?fn=a*', 501, 'not_implemented'],
  ])('%s is an error', async (path, code, problem) => {
    expect(errorOf(await lookup(path))).toEqual([code, problem]);
    const browser = { headers: { accept: 'text/html,*/*;q=0.8' } };
    expect(errorOf(await lookup(path, browser))).toEqual([code, problem]);
  });

  it('of other methods are rejected', async () => {
    const answer = await lookup('/rdap/domain/taken.example', { method: 'POST', body: '{}' });
    expect(errorOf(answer)).toEqual([405, 'method_not_allowed']);
    expect(answer.response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });

  it.each(['application/rdap+json', 'application/json', '*/*', 'application/*;q=0.1'])(
    'may accept %s',
    async (accept) => {
      const { status: code } = await lookup('/rdap/domain/taken.test', { headers: { accept } });
      expect(code).toBe(200);
    },
  );

  it('must accept JSON', async () => {
    for (const path of ['/rdap/domain/taken.example', '/rdap/help']) {
      const answer = await lookup(path, { headers: { accept: 'text/html' } });
      expect(errorOf(answer)).toEqual([406, 'not_acceptable']);
    }
  });

  it('never fail because of what a registry sends', async () => {
    const objects = [{ notices: [null, [1]] }, { notices: 'x', entities: 5 }, { lang: 1 }];
    for (const [index, members] of objects.entries()) {
      const name = `odd${index}.example`;
      registry.on(name, json(200, domainObject(name, { members })));
      expect((await lookup(`/rdap/domain/${name}`)).status).toBe(200);
    }
  });
});
