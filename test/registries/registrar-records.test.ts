import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../support/gateways/gateway.ts';
import { manualClock, type ManualClock } from '../support/time/manual-clock.ts';
import {
  emptyNotFound,
  html,
  json,
  notFound,
  redirect,
  registered,
  status,
  type Script,
} from '../support/bodies/replies.ts';
import { scratch } from '../support/stores/scratch.ts';
import { paused } from '../support/bodies/scripts.ts';
import { next, partsOf, remaining } from '../support/requests/streams.ts';

const hour = 60 * 60 * 1000;
const name = 'taken.example';

let clock: ManualClock;
let registry: FakeRegistry;
let registrar: FakeRegistry;
let gateway: Gateway;
beforeEach(async () => {
  clock = manualClock();
  registry = await forThisTest(startFakeRegistry);
  registrar = await forThisTest(startFakeRegistry);
  registry.on('nic.example', registered('nic.example'));
  registry.on(/^taken/, ({ name: taken }) =>
    registered(taken, linkingTo(registrar.url(`rdap/domain/${taken}`))),
  );
  registrar.fallback(({ name: taken }) => registered(taken, registrarData));
  gateway = await start();
});

/**
 * Links to a private address are followed only if the bootstrap document names it, so the registrar
 * also serves a TLD.
 */
const start = (env: Record<string, string> = {}, others: Record<string, string> = {}) =>
  startGateway({
    clock,
    registries: { example: registry.baseUrl, registrar: registrar.baseUrl, ...others },
    env,
  });

/** Starts a gateway whose bootstrap document does not name the registrar. */
const startUnnamed = (env: Record<string, string>) =>
  startGateway({ clock, registries: { example: registry.baseUrl }, env });

const rdapLink = (href: string, rel = 'related', type = 'application/rdap+json') => ({
  rel,
  type,
  href,
});
const linkingTo = (...hrefs: readonly string[]) => ({
  members: { links: hrefs.map((href) => rdapLink(href)) },
});

const entity = (roles: readonly string[], ...properties: readonly unknown[]) => ({
  objectClassName: 'entity',
  roles,
  vcardArray: ['vcard', properties],
});

/** The data in which the registrar's record differs from the registry's. */
const registrarData = {
  statuses: ['transfer prohibited'],
  expiresAt: '2031-01-01T00:00:00Z',
  nameservers: ['ns1.elsewhere.test'],
  members: {
    entities: [
      entity(
        ['registrant'],
        ['version', {}, 'text', '4.0'],
        ['fn', {}, 'text', 'Ada Lovelace'],
        ['email', {}, 'text', 'ada@holder.test'],
      ),
    ],
  },
};

const fields = 'registrant { name email } expiresAt';
const lookUp = (
  selection = `registrarRdap { ${fields} }`,
  args = '',
  at: Gateway = gateway,
): Promise<Json> => at.graphql(`{ domain(name: "${name}"${args}) { ${selection} } }`);

const ada = {
  registrant: { name: 'Ada Lovelace', email: 'ada@holder.test' },
  expiresAt: '2031-01-01T00:00:00.000Z',
};

describe('the registrar’s record', () => {
  it('adds the contacts that the registry omits, and does not change the registry’s data', async () => {
    const { data, errors } = await lookUp(
      `status available phase rdap { id statuses nameservers ${fields} } registrarRdap { id statuses nameservers ${fields} }`,
    );
    expect(errors).toBeUndefined();
    expect(data.domain).toEqual({
      status: 'REGISTERED',
      available: false,
      phase: 'ACTIVE',
      rdap: {
        id: `rdap:${name}`,
        statuses: ['active'],
        nameservers: ['ns1.example-dns.test', 'ns2.example-dns.test'],
        registrant: null,
        expiresAt: '2099-02-03T04:05:06.000Z',
      },
      // The ids differ, or a client's cache would merge the two records.
      registrarRdap: {
        id: `registrar:${name}`,
        statuses: ['transfer prohibited'],
        nameservers: ['ns1.elsewhere.test'],
        ...ada,
      },
    });
  });

  it('is fetched only if it is selected', async () => {
    await lookUp('status rdap { registrant { name } raw }');
    await gateway.get(`/v1/rdap?domain=${name}`);
    await lookUp('status registrarRdap @skip(if: true) { handle }');
    expect(registrar.requests).toEqual([]);
  });

  it('is fetched with the link of the cached registry record', async () => {
    await lookUp('rdap { handle }');
    expect((await lookUp()).data.domain.registrarRdap).toEqual(ada);
    expect([registry.requestCount(name), registrar.requestCount(name)]).toEqual([1, 1]);
  });

  it('is sent in a separate part if it is deferred', async () => {
    const reply = paused(registered(name, registrarData));
    registrar.on(name, reply);
    const query = `{ domain(name: "${name}") { status ... @defer { registrarRdap { ${fields} } } } }`;
    const parts = partsOf(await gateway.post('/graphql', { query }, { accept: 'multipart/mixed' }));
    expect(await next(parts)).toEqual({
      data: { domain: { status: 'REGISTERED' } },
      hasNext: true,
    });
    reply.release();
    const incremental = (await remaining(parts)).flatMap((part) => part.incremental ?? []);
    expect(incremental).toEqual([{ path: ['domain'], data: { registrarRdap: ada } }]);
  });

  const expirations = {
    expiration: { eventAction: 'expiration', eventDate: '2031-01-01T00:00:00Z' },
    'registrar expiration': {
      eventAction: 'Registrar Expiration',
      eventDate: '2030-01-01T00:00:00Z',
    },
  };
  it.each<[string, readonly (keyof typeof expirations)[], string]>([
    ['of the registrar', ['registrar expiration'], '2030-01-01T00:00:00.000Z'],
    [
      'of the registrar if it also has the registry’s date',
      ['expiration', 'registrar expiration'],
      '2030-01-01T00:00:00.000Z',
    ],
    ['of the registry if it has no other', ['expiration'], '2031-01-01T00:00:00.000Z'],
  ])('has the expiration date %s', async (_case, actions, expiresAt) => {
    const events = actions.map((action) => expirations[action]);
    registrar.on(name, registered(name, { members: { events } }));
    registry.on(
      name,
      registered(name, {
        members: { events, ...linkingTo(registrar.url(`rdap/domain/${name}`)).members },
      }),
    );
    const { data } = await lookUp('rdap { expiresAt } registrarRdap { expiresAt }');
    expect(data.domain.registrarRdap).toEqual({ expiresAt });
    // In the registry's record, the registrar's date is only an event.
    expect(data.domain.rdap).toEqual({
      expiresAt: actions.includes('expiration') ? '2031-01-01T00:00:00.000Z' : null,
    });
  });

  it('has the registrar’s abuse contact even if it lacks the registrar entity', async () => {
    const abuse = entity(
      ['abuse'],
      ['fn', {}, 'text', 'Abuse Desk'],
      ['email', {}, 'text', 'abuse@registrar.test'],
    );
    const holder = {
      ...entity(['registrant'], ['email', {}, 'text', 'ada@holder.test']),
      entities: [abuse],
    };
    const selection = 'registrar { name ianaId url abuseEmail abusePhone }';
    const links = linkingTo(registrar.url(`rdap/domain/${name}`)).members;
    registrar.on(name, registered(name, { members: { entities: [holder, abuse] } }));
    registry.on(name, registered(name, { members: { entities: [holder, abuse], ...links } }));
    const { data } = await lookUp(`rdap { ${selection} } registrarRdap { ${selection} }`);
    expect(data.domain.registrarRdap).toEqual({
      registrar: {
        name: null,
        ianaId: null,
        url: null,
        abuseEmail: 'abuse@registrar.test',
        abusePhone: null,
      },
    });
    // In the registry's record, the abuse contact may be that of the registry.
    expect(data.domain.rdap.registrar).toBeNull();
  });

  it('is null for an available name', async () => {
    expect(
      (await gateway.graphql('{ domain(name: "free.example") { status registrarRdap { id } } }'))
        .data.domain,
    ).toEqual({ status: 'AVAILABLE', registrarRdap: null });
  });

  it.each([
    ['in upper case', { ldhName: 'TAKEN.EXAMPLE' }],
    ['in Unicode, with a final dot', { ldhName: undefined, unicodeName: 'Taken.example.' }],
  ])('may contain the name %s', async (_case, members) => {
    registrar.on(name, registered(name, { members }));
    expect((await lookUp('registrarRdap { handle }')).data.domain.registrarRdap).toEqual({
      handle: `FAKE-${name}`,
    });
  });
});

describe('a link from the registry', () => {
  const links: readonly (readonly [what: string, links: () => unknown])[] = [
    ['it is absent', () => undefined],
    ['it is not in a list', () => 'nonsense'],
    ['it leads to an HTML page', () => [rdapLink(registrar.url('whois'), 'related', 'text/html')]],
    [
      'its relation is not "related"',
      () => [rdapLink(registrar.url(`domain/${name}`), 'alternate')],
    ],
    ['it is not a URL', () => [rdapLink('//registrar')]],
    [
      'its scheme is not http: or https:',
      () => [rdapLink('javascript:alert(1)'), rdapLink('file:///etc/passwd')],
    ],
    [
      'it leads to the registry’s own record',
      () => [rdapLink(registry.url(`domain/${name.toUpperCase()}`))],
    ],
  ];

  it.each(links)('is not followed, and the record is null, if %s', async (_case, createLinks) => {
    registry.on(name, registered(name, { members: { links: createLinks() } }));
    expect(await lookUp()).toEqual({ data: { domain: { registrarRdap: null } } });
    expect([registry.requests.length, registrar.requests.length]).toEqual([1, 0]);
  });

  it.each([
    ['without a type', { type: undefined }],
    ['with a JSON type', { type: 'application/json' }],
    ['with a type in upper case', { type: 'Application/RDAP+JSON' }],
    ['with a type that has parameters', { type: 'application/rdap+json; charset=utf-8' }],
    ['with a relation in upper case', { rel: 'RELATED' }],
    ['with several relations', { rel: 'item related' }],
  ])('is followed %s', async (_case, members) => {
    const link = { ...rdapLink(registrar.url(`domain/${name}`)), ...members };
    registry.on(name, registered(name, { members: { links: [link] } }));
    expect((await lookUp()).data.domain.registrarRdap).toEqual(ada);
  });

  it('is followed rather than one without a type', async () => {
    const page = { ...rdapLink(registrar.url('whois')), type: undefined };
    const sent = [page, rdapLink(registrar.url(`domain/${name}`))];
    registry.on(name, registered(name, { members: { links: sent } }));
    expect((await lookUp()).data.domain.registrarRdap).toEqual(ada);
    expect(registrar.requests.length).toBe(1);
  });

  it('is followed to the second one if the first leads to no record', async () => {
    const sent = ['domain/gone.test', `domain/${name}`].map((path) =>
      rdapLink(registrar.url(path)),
    );
    registry.on(name, registered(name, { members: { links: sent } }));
    expect((await lookUp()).data.domain.registrarRdap).toEqual(ada);
    expect(registrar.requests.length).toBe(2);
  });

  it('is followed for one step: links from the registrar are not followed', async () => {
    await using further = await startFakeRegistry();
    registrar.on(
      name,
      registered(
        name,
        linkingTo(further.url(`domain/${name}`), registrar.url(`rdap/domain/${name}`)),
      ),
    );
    expect((await lookUp('registrarRdap { handle }')).data.domain.registrarRdap).toEqual({
      handle: `FAKE-${name}`,
    });
    expect([registrar.requests.length, further.requests.length]).toEqual([1, 0]);
  });

  it.each(['true', 'false'])(
    'is not followed over plain http: or to a private address with RDAP_ALLOW_PRIVATE=%s',
    async (allowed) => {
      const { port } = new URL(registrar.baseUrl);
      const origins = [
        'http://192.0.2.1',
        `http://127.0.0.1:${port}`,
        'https://127.0.0.1',
        'https://localhost',
        'https://[::1]',
        'https://10.0.0.1',
      ];
      const names = origins.map((_origin, index) => `taken${index}.example`);
      for (const [index, origin] of origins.entries())
        registry.on(`taken${index}.example`, ({ name: taken }) =>
          registered(taken, linkingTo(`${origin}/domain/${taken}`)),
        );
      await using files = await scratch();
      const query = (field: string) =>
        `{ domains(domains: ${JSON.stringify(names)}) { status ${field} { handle } } }`;
      // The registry is at such an address too, so another gateway that may query it stores its
      // answers first.
      const storing = await startUnnamed({ STORE_URL: files.storeUrl });
      await storing.graphql(query('rdap'));
      await storing[Symbol.asyncDispose]();
      await using following = await startUnnamed({
        STORE_URL: files.storeUrl,
        RDAP_ALLOW_PRIVATE: allowed,
      });
      const { data, errors } = await following.graphql(
        query('registrarProblem { code } registrarRdap'),
      );
      expect(errors).toBeUndefined();
      const registrarProblem = { code: 'registry_error' };
      expect(data.domains).toEqual(
        names.map(() => ({ status: 'REGISTERED', registrarProblem, registrarRdap: null })),
      );
      expect(registrar.requests).toEqual([]);
    },
  );
});

describe('registrarProblem', () => {
  const failures: readonly (readonly [what: string, script: () => Script, code: string])[] = [
    ['sends the record of another name', () => registered('other.example'), 'untrusted_answer'],
    [
      'sends another object',
      () => json(200, { objectClassName: 'entity', ldhName: name }),
      'untrusted_answer',
    ],
    ['sends HTML', () => html(200), 'untrusted_answer'],
    [
      'sends truncated JSON',
      () => status(200, { 'content-type': 'application/rdap+json' }, '{"objectClassName":'),
      'untrusted_answer',
    ],
    ['returns 429', () => status(429, { 'retry-after': '7' }), 'registry_busy'],
    ['returns 503', () => status(503), 'registry_busy'],
    ['returns 500', () => status(500), 'registry_error'],
    ['returns 403', () => status(403), 'registry_error'],
    ['redirects in a loop', () => redirect(registrar.url(`rdap/domain/${name}`)), 'registry_error'],
  ];

  it.each(failures)(
    'reports a registrar that %s, and affects no other field',
    async (_case, script, code) => {
      registrar.on(name, script());
      const { data, errors } = await lookUp(
        'available problem { code } rdap { handle } registrarRdap { handle } registrarProblem { code detail }',
      );
      expect(errors).toBeUndefined();
      expect(data.domain).toEqual({
        available: false,
        problem: null,
        rdap: { handle: `FAKE-${name}` },
        registrarRdap: null,
        registrarProblem: { code, detail: expect.stringMatching(/\.$/) },
      });
    },
  );

  it('may be selected without the record, and causes one query', async () => {
    registrar.on(name, status(429, { 'retry-after': '7' }));
    const problem = { code: 'registry_busy', retryAfter: 7, retryable: true };
    const { data } = await lookUp(
      'registrarProblem { code retryAfter retryable } again: registrarProblem { code }',
    );
    expect(data.domain).toEqual({ registrarProblem: problem, again: { code: 'registry_busy' } });
    expect(registrar.requestCount(name)).toBe(1);
  });

  it('reports a registrar that does not respond in time', async () => {
    await using impatient = await start({ RDAP_TIMEOUT_MS: '300' });
    await lookUp('rdap { handle }', '', impatient);
    const reply = paused(notFound());
    registrar.on(name, reply);
    const { data, errors } = await lookUp(
      'registrarRdap { handle } registrarProblem { code }',
      '',
      impatient,
    );
    expect(errors).toBeUndefined();
    expect(data.domain).toEqual({
      registrarRdap: null,
      registrarProblem: { code: 'registry_timeout' },
    });
    reply.release();
  });

  it.each([
    ['an RDAP error', notFound()],
    ['no body', emptyNotFound()],
    ['HTML', html(404)],
  ])('is null, like the record, after a 404 with %s', async (_case, reply) => {
    registrar.on(name, reply);
    const domain = { status: 'REGISTERED', registrarRdap: null, registrarProblem: null };
    expect(await lookUp('status registrarRdap { handle } registrarProblem { code }')).toEqual({
      data: { domain },
    });
  });

  it('reports a failure of the registry, without a query to the registrar', async () => {
    registry.on(name, html(404));
    const { data, errors } = await lookUp(
      'status registrarRdap { handle } registrarProblem { code }',
    );
    expect(errors).toBeUndefined();
    expect(data.domain).toEqual({
      status: 'UNKNOWN',
      registrarRdap: null,
      registrarProblem: { code: 'untrusted_answer' },
    });
    expect(registrar.requests).toEqual([]);
  });
});

describe('a registrar is queried', () => {
  it('once per hour for a name, and once per five minutes for one that it did not find', async () => {
    registrar.on('taken-not.example', notFound());
    const query =
      '{ domains(domains: ["taken.example", "taken-not.example"]) { registrarRdap { handle } } }';
    const first = await gateway.graphql(query);
    clock.advance(4 * 60_000);
    expect(await gateway.graphql(query)).toEqual(first);
    expect(registrar.requests.length).toBe(2);
    clock.advance(hour);
    await gateway.graphql(query);
    expect(registrar.requests.length).toBe(4);
  });

  it('once for all concurrent callers', async () => {
    const reply = paused(registered(name, registrarData));
    registrar.on(name, reply);
    const answers = [lookUp(), lookUp()];
    await registrar.whenRequested(name);
    await lookUp('rdap { handle }');
    reply.release();
    for (const { data } of await Promise.all(answers))
      expect(data.domain.registrarRdap).toEqual(ada);
    expect(registrar.requestCount(name)).toBe(1);
  });

  it('again if maxAge excludes the cached answer', async () => {
    await lookUp();
    clock.advance(60_000);
    await lookUp(undefined, ', maxAge: 61');
    expect(registrar.requestCount(name)).toBe(1);
    await lookUp(undefined, ', maxAge: 59');
    expect(registrar.requestCount(name)).toBe(2);
  });

  it('again when the name has moved to another registrar, whose record is returned', async () => {
    await using successor = await startFakeRegistry();
    await using both = await start({}, { successor: successor.baseUrl });
    await lookUp(undefined, '', both);
    successor.on(name, registered(name, { members: { handle: 'MOVED' } }));
    registry.on(name, registered(name, linkingTo(successor.url(`domain/${name}`))));
    await lookUp('rdap { handle }', ', maxAge: 0', both);
    expect((await lookUp('registrarRdap { handle }', '', both)).data.domain.registrarRdap).toEqual({
      handle: 'MOVED',
    });
    expect((await lookUp('registrarRdap { handle }', '', both)).data.domain.registrarRdap).toEqual({
      handle: 'MOVED',
    });
    expect([registrar.requestCount(name), successor.requestCount(name)]).toEqual([1, 1]);
  });

  it('each time if contacts must not be stored', async () => {
    await using withoutContacts = await start({ RECORD_DAYS: '0' });
    for (const times of [1, 2]) {
      expect((await lookUp(undefined, '', withoutContacts)).data.domain.registrarRdap).toEqual(ada);
      expect(registrar.requestCount(name)).toBe(times);
    }
    registrar.on(name, status(500));
    const domain = { registrarRdap: null, registrarProblem: { code: 'registry_error' } };
    expect(
      await lookUp('registrarRdap { handle } registrarProblem { code }', '', withoutContacts),
    ).toEqual({ data: { domain } });
  });

  it('only once if the first caller disconnects: the next one joins the lookup in flight', async () => {
    const reply = paused(registered(name, registrarData));
    registrar.on(name, reply);
    const caller = new AbortController();
    const query = `{ domain(name: "${name}") { registrarRdap { handle } } }`;
    const aborted = gateway
      .fetch(`/graphql?query=${encodeURIComponent(query)}`, { signal: caller.signal })
      .catch((error: unknown) => error);
    await registrar.whenRequested(name);
    caller.abort();
    await aborted;
    // After two round trips, the gateway has noticed the disconnect.
    await gateway.get('/health');
    await gateway.get('/health');
    const answer = lookUp();
    await lookUp('rdap { handle }');
    await lookUp('rdap { handle }');
    reply.release();
    expect((await answer).data.domain.registrarRdap).toEqual(ada);
    expect(registrar.requestCount(name)).toBe(1);
  });

  it('through the queue of its own host, separate from that of the registry', async () => {
    await using narrow = await start({ RDAP_CONCURRENCY: '1' });
    const names = ['taken1.example', 'taken2.example', 'taken3.example'];
    const reply = paused(({ name: taken }) => registered(taken));
    registrar.fallback(reply);
    const answer = narrow.graphql(
      `{ domains(domains: ${JSON.stringify(names)}) { registrarRdap { handle } } }`,
    );
    await registrar.when(({ inFlight }) => inFlight === 1);
    // The registry's queue is not blocked.
    expect((await lookUp('status', '', narrow)).data.domain.status).toBe('REGISTERED');
    reply.release();
    expect((await answer).errors).toBeUndefined();
    expect([registrar.peakInFlight, registrar.requests.length]).toEqual([1, 3]);
  });

  it('not at all during its Retry-After', async () => {
    registrar.fallback(status(429, { 'retry-after': '30' }));
    await lookUp();
    const { data } = await gateway.graphql(
      '{ domain(name: "taken2.example") { registrarProblem { code retryAfter } } }',
    );
    expect(data.domain.registrarProblem).toEqual({ code: 'registry_busy', retryAfter: 30 });
    expect(registrar.requests.length).toBe(1);
  });

  it('with a new queue timeout, regardless of how long the registry took', async () => {
    await using impatient = await start({ QUEUE_TIMEOUT_MS: '1000' });
    registry.on(name, () => {
      clock.advance(2000);
      return registered(name, linkingTo(registrar.url(`rdap/domain/${name}`)));
    });
    expect((await lookUp(undefined, '', impatient)).data.domain.registrarRdap).toEqual(ada);
  });
});
