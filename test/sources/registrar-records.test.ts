import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../support/gateway.ts';
import { manualClock, type ManualClock } from '../support/manual-clock.ts';
import {
  emptyNotFound,
  html,
  json,
  notFound,
  redirect,
  registered,
  status,
  type Script,
} from '../support/replies.ts';
import { scratch } from '../support/scratch.ts';
import { paused } from '../support/scripts.ts';
import { next, partsOf, remaining } from '../support/streams.ts';

const hour = 60 * 60 * 1000;
const name = 'taken.example';

let clock: ManualClock;
let registry: FakeRegistry;
let registrar: FakeRegistry;
let gateway: Gateway;
beforeEach(async () => {
  clock = manualClock();
  [registry, registrar] = [await startFakeRegistry(), await startFakeRegistry()];
  registry.on('nic.example', registered('nic.example'));
  registry.on(/^taken/, ({ name: asked }) =>
    registered(asked, linkingTo(registrar.url(`rdap/domain/${asked}`))),
  );
  registrar.fallback(({ name: asked }) => registered(asked, registrarsOwn));
  gateway = await start();
});
afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
  await Promise.all([registry.close(), registrar.close()]);
});

/** A link may lead to a private address only where the bootstrap document names it: the registrar serves a TLD, too. */
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

/** What a registrar says otherwise than its registry. */
const registrarsOwn = {
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
const ask = (
  selection = `registrarRdap { ${fields} }`,
  args = '',
  at: Gateway = gateway,
): Promise<Json> => at.graphql(`{ domain(name: "${name}"${args}) { ${selection} } }`);

const ada = {
  registrant: { name: 'Ada Lovelace', email: 'ada@holder.test' },
  expiresAt: '2031-01-01T00:00:00.000Z',
};

describe('the registrar’s own record', () => {
  it('adds the contacts that the registry leaves out, and changes nothing of what the registry says', async () => {
    const { data, errors } = await ask(
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
      // Another id, or a client's cache would take the two for one.
      registrarRdap: {
        id: `registrar:${name}`,
        statuses: ['transfer prohibited'],
        nameservers: ['ns1.elsewhere.test'],
        ...ada,
      },
    });
  });

  it('is asked for only where it is selected', async () => {
    await ask('status rdap { registrant { name } raw }');
    await gateway.get(`/v1/rdap?domain=${name}`);
    await ask('status registrarRdap @skip(if: true) { handle }');
    expect(registrar.requests).toEqual([]);
  });

  it('is asked for with what the registry said before, when that is remembered', async () => {
    await ask('rdap { handle }');
    expect((await ask()).data.domain.registrarRdap).toEqual(ada);
    expect([registry.asked(name), registrar.asked(name)]).toEqual([1, 1]);
  });

  it('comes in a part of its own where it is deferred', async () => {
    const reply = paused(registered(name, registrarsOwn));
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
    ['in the registrar’s system', ['registrar expiration'], '2030-01-01T00:00:00.000Z'],
    [
      'in the registrar’s system, beside that of the registry',
      ['expiration', 'registrar expiration'],
      '2030-01-01T00:00:00.000Z',
    ],
    ['of the registry where it names no other', ['expiration'], '2031-01-01T00:00:00.000Z'],
  ])('expires at the date %s', async (_which, actions, expiresAt) => {
    const events = actions.map((action) => expirations[action]);
    registrar.on(name, registered(name, { members: { events } }));
    registry.on(
      name,
      registered(name, {
        members: { events, ...linkingTo(registrar.url(`rdap/domain/${name}`)).members },
      }),
    );
    const { data } = await ask('rdap { expiresAt } registrarRdap { expiresAt }');
    expect(data.domain.registrarRdap).toEqual({ expiresAt });
    // In the registry's record, the date of the registrar is an event alone.
    expect(data.domain.rdap).toEqual({
      expiresAt: actions.includes('expiration') ? '2031-01-01T00:00:00.000Z' : null,
    });
  });

  it('has the abuse contact of the registrar that it does not name itself', async () => {
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
    const { data } = await ask(`rdap { ${selection} } registrarRdap { ${selection} }`);
    expect(data.domain.registrarRdap).toEqual({
      registrar: {
        name: null,
        ianaId: null,
        url: null,
        abuseEmail: 'abuse@registrar.test',
        abusePhone: null,
      },
    });
    // In the registry's record, it may be the registry's own.
    expect(data.domain.rdap.registrar).toBeNull();
  });

  it('is null for a name that nobody holds', async () => {
    expect(
      (await gateway.graphql('{ domain(name: "free.example") { status registrarRdap { id } } }'))
        .data.domain,
    ).toEqual({
      status: 'AVAILABLE',
      registrarRdap: null,
    });
  });

  it.each([
    ['in capitals', { ldhName: 'TAKEN.EXAMPLE' }],
    [
      'as people write it, with a dot at its end',
      { ldhName: undefined, unicodeName: 'Taken.example.' },
    ],
  ])('may call the name %s', async (_how, members) => {
    registrar.on(name, registered(name, { members }));
    expect((await ask('registrarRdap { handle }')).data.domain.registrarRdap).toEqual({
      handle: `FAKE-${name}`,
    });
  });
});

describe('a link of the registry', () => {
  const links: readonly (readonly [what: string, links: () => unknown])[] = [
    ['there is none', () => undefined],
    ['it is no list', () => 'nonsense'],
    [
      'it leads to a page for people',
      () => [rdapLink(registrar.url('whois'), 'related', 'text/html')],
    ],
    ['it is no related one', () => [rdapLink(registrar.url(`domain/${name}`), 'alternate')]],
    ['it is no URL', () => [rdapLink('//registrar')]],
    [
      'it is no web address',
      () => [rdapLink('javascript:alert(1)'), rdapLink('file:///etc/passwd')],
    ],
    [
      'it leads to the registry’s own record',
      () => [rdapLink(registry.url(`domain/${name.toUpperCase()}`))],
    ],
  ];

  it.each(links)('is not followed where %s: null', async (_what, made) => {
    registry.on(name, registered(name, { members: { links: made() } }));
    expect(await ask()).toEqual({ data: { domain: { registrarRdap: null } } });
    expect([registry.requests.length, registrar.requests.length]).toEqual([1, 0]);
  });

  it('is followed one step: what the registrar links to is not asked', async () => {
    await using further = await startFakeRegistry();
    registrar.on(
      name,
      registered(
        name,
        linkingTo(further.url(`domain/${name}`), registrar.url(`rdap/domain/${name}`)),
      ),
    );
    expect((await ask('registrarRdap { handle }')).data.domain.registrarRdap).toEqual({
      handle: `FAKE-${name}`,
    });
    expect([registrar.requests.length, further.requests.length]).toEqual([1, 0]);
  });

  it.each(['true', 'false'])(
    'is not followed by plain http: or to a private address with RDAP_ALLOW_PRIVATE=%s',
    async (allowed) => {
      const { port } = new URL(registrar.baseUrl);
      const places = [
        'http://192.0.2.1',
        `http://127.0.0.1:${port}`,
        'https://127.0.0.1',
        'https://localhost',
        'https://[::1]',
        'https://10.0.0.1',
      ];
      const names = places.map((_place, index) => `taken${index}.example`);
      for (const [index, place] of places.entries())
        registry.on(`taken${index}.example`, ({ name: asked }) =>
          registered(asked, linkingTo(`${place}/domain/${asked}`)),
        );
      await using files = await scratch();
      const query = (field: string) =>
        `{ domains(domains: ${JSON.stringify(names)}) { status ${field} { handle } } }`;
      // The registry is at such an address, too: a gateway that may query it stores its answers.
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

describe('a registrar that fails', () => {
  const failures: readonly (readonly [what: string, script: () => Script, code: string])[] = [
    ['tells of another name', () => registered('other.example'), 'untrusted_answer'],
    [
      'sends another object',
      () => json(200, { objectClassName: 'entity', ldhName: name }),
      'untrusted_answer',
    ],
    ['sends a page', () => html(200), 'untrusted_answer'],
    [
      'sends half of its JSON',
      () => status(200, { 'content-type': 'application/rdap+json' }, '{"objectClassName":'),
      'untrusted_answer',
    ],
    ['has had enough', () => status(429, { 'retry-after': '7' }), 'registry_busy'],
    ['is not there for now', () => status(503), 'registry_busy'],
    ['breaks', () => status(500), 'registry_error'],
    ['refuses', () => status(403), 'registry_error'],
    ['redirects in a loop', () => redirect(registrar.url(`rdap/domain/${name}`)), 'registry_error'],
  ];

  it.each(failures)('that %s is a problem of the registrar alone', async (_what, script, code) => {
    registrar.on(name, script());
    const { data, errors } = await ask(
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
  });

  it('is looked up for its problem alone, once', async () => {
    registrar.on(name, status(429, { 'retry-after': '7' }));
    const problem = { code: 'registry_busy', retryAfter: 7, retryable: true };
    const { data } = await ask(
      'registrarProblem { code retryAfter retryable } again: registrarProblem { code }',
    );
    expect(data.domain).toEqual({ registrarProblem: problem, again: { code: 'registry_busy' } });
    expect(registrar.asked(name)).toBe(1);
  });

  it('and does not answer in time is one too', async () => {
    await using hasty = await start({ RDAP_TIMEOUT_MS: '300' });
    await ask('rdap { handle }', '', hasty);
    const reply = paused(notFound());
    registrar.on(name, reply);
    const { data, errors } = await ask(
      'registrarRdap { handle } registrarProblem { code }',
      '',
      hasty,
    );
    expect(errors).toBeUndefined();
    expect(data.domain).toEqual({
      registrarRdap: null,
      registrarProblem: { code: 'registry_timeout' },
    });
    reply.release();
  });

  it.each([
    ['in RDAP’s words', notFound()],
    ['with nothing', emptyNotFound()],
    ['with a page', html(404)],
  ])('is no failure where it does not know the name, and says so %s: null', async (_how, reply) => {
    registrar.on(name, reply);
    const domain = { status: 'REGISTERED', registrarRdap: null, registrarProblem: null };
    expect(await ask('status registrarRdap { handle } registrarProblem { code }')).toEqual({
      data: { domain },
    });
  });

  it('says nothing of the registrar where the registry fails', async () => {
    registry.on(name, html(404));
    const { data, errors } = await ask('status registrarRdap { handle } registrarProblem { code }');
    expect(errors).toBeUndefined();
    expect(data.domain).toEqual({
      status: 'UNKNOWN',
      registrarRdap: null,
      registrarProblem: { code: 'untrusted_answer' },
    });
    expect(registrar.requests).toEqual([]);
  });
});

describe('a registrar is asked politely:', () => {
  it('once an hour for a name, and once in five minutes for one that it did not know', async () => {
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

  it('once for all who ask at the same time', async () => {
    const reply = paused(registered(name, registrarsOwn));
    registrar.on(name, reply);
    const answers = [ask(), ask()];
    await registrar.whenAsked(name);
    await ask('rdap { handle }');
    reply.release();
    for (const { data } of await Promise.all(answers))
      expect(data.domain.registrarRdap).toEqual(ada);
    expect(registrar.asked(name)).toBe(1);
  });

  it('anew for who takes no older answer', async () => {
    await ask();
    clock.advance(60_000);
    await ask(undefined, ', maxAge: 61');
    expect(registrar.asked(name)).toBe(1);
    await ask(undefined, ', maxAge: 59');
    expect(registrar.asked(name)).toBe(2);
  });

  it('anew when the name has gone to another registrar, whose record it is then', async () => {
    await using successor = await startFakeRegistry();
    await using both = await start({}, { successor: successor.baseUrl });
    await ask(undefined, '', both);
    successor.on(name, registered(name, { members: { handle: 'MOVED' } }));
    registry.on(name, registered(name, linkingTo(successor.url(`domain/${name}`))));
    await ask('rdap { handle }', ', maxAge: 0', both);
    expect((await ask('registrarRdap { handle }', '', both)).data.domain.registrarRdap).toEqual({
      handle: 'MOVED',
    });
    expect((await ask('registrarRdap { handle }', '', both)).data.domain.registrarRdap).toEqual({
      handle: 'MOVED',
    });
    expect([registrar.asked(name), successor.asked(name)]).toEqual([1, 1]);
  });

  it('anew each time where no contacts may be kept', async () => {
    await using forgetful = await start({ RECORD_DAYS: '0' });
    for (const times of [1, 2]) {
      expect((await ask(undefined, '', forgetful)).data.domain.registrarRdap).toEqual(ada);
      expect(registrar.asked(name)).toBe(times);
    }
    registrar.on(name, status(500));
    const domain = { registrarRdap: null, registrarProblem: { code: 'registry_error' } };
    expect(await ask('registrarRdap { handle } registrarProblem { code }', '', forgetful)).toEqual({
      data: { domain },
    });
  });

  it('for nothing twice: what was sent for somebody who left is there for the next', async () => {
    const reply = paused(registered(name, registrarsOwn));
    registrar.on(name, reply);
    const leaver = new AbortController();
    const query = `{ domain(name: "${name}") { registrarRdap { handle } } }`;
    const left = gateway
      .fetch(`/graphql?query=${encodeURIComponent(query)}`, { signal: leaver.signal })
      .catch((error: unknown) => error);
    await registrar.whenAsked(name);
    leaver.abort();
    await left;
    // Two round trips after its leaving, the gateway has seen it.
    await gateway.get('/health');
    await gateway.get('/health');
    const answer = ask();
    await ask('rdap { handle }');
    await ask('rdap { handle }');
    reply.release();
    expect((await answer).data.domain.registrarRdap).toEqual(ada);
    expect(registrar.asked(name)).toBe(1);
  });

  it('in a lane of its host, which is none of the registry’s', async () => {
    await using narrow = await start({ RDAP_CONCURRENCY: '1' });
    const names = ['taken1.example', 'taken2.example', 'taken3.example'];
    const reply = paused(({ name: asked }) => registered(asked));
    registrar.fallback(reply);
    const answer = narrow.graphql(
      `{ domains(domains: ${JSON.stringify(names)}) { registrarRdap { handle } } }`,
    );
    await registrar.when(({ inFlight }) => inFlight === 1);
    // The registry's lane is free.
    expect((await ask('status', '', narrow)).data.domain.status).toBe('REGISTERED');
    reply.release();
    expect((await answer).errors).toBeUndefined();
    expect([registrar.peakInFlight, registrar.requests.length]).toEqual([1, 3]);
  });

  it('not again while it asked to be left alone', async () => {
    registrar.fallback(status(429, { 'retry-after': '30' }));
    await ask();
    const { data } = await gateway.graphql(
      '{ domain(name: "taken2.example") { registrarProblem { code retryAfter } } }',
    );
    expect(data.domain.registrarProblem).toEqual({ code: 'registry_busy', retryAfter: 30 });
    expect(registrar.requests.length).toBe(1);
  });

  it('with its turn in time, however long the registry took', async () => {
    await using hasty = await start({ QUEUE_TIMEOUT_MS: '1000' });
    registry.on(name, () => {
      clock.advance(2000);
      return registered(name, linkingTo(registrar.url(`rdap/domain/${name}`)));
    });
    expect((await ask(undefined, '', hasty)).data.domain.registrarRdap).toEqual(ada);
  });
});
