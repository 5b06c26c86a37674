import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { forThisTest } from '../support/for-this-test.ts';
import { accessibilityViolations } from '../support/requests/accessibility.ts';
import { startBrowser } from '../support/requests/browser.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { openGraphiql } from '../support/requests/graphiql-page.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';

const started = await forThisFile(startBrowser);

// With this long timeout, requests to `hang.test` end only when they are aborted.
const registries = { com: 'https://rdap.invalid/', net: 'https://rdap.invalid/' };
const gateway = await forThisFile(startGateway, { registries, env: { RDAP_TIMEOUT_MS: '60000' } });

const searchedNames =
  'slow-idea.test slow-idea.shop.test slow-idea.app.test slow-idea.dev.test'.split(' ');

/** The default tabs with their expected results. */
const examples: readonly {
  title: string;
  read: (responses: readonly Json[]) => unknown;
  expected: unknown;
}[] = [
  {
    title: 'OneName',
    read: ([answer]) => answer,
    expected: {
      data: {
        domain: {
          available: false,
          rdap: { nameservers: ['ns1.example-dns.test', 'ns2.example-dns.test'] },
        },
      },
    },
  },
  {
    title: 'Variables',
    read: ([answer]) => answer,
    expected: {
      data: {
        domains: ['idea.test', 'idea.shop.test'].map((domain) => ({ domain, available: true })),
      },
    },
  },
  {
    title: 'Search',
    read: (answers) => [answers[0], answers.at(-1)],
    expected: [
      { data: { domains: searchedNames.map((domain) => ({ domain })) } },
      {
        data: {
          domains: searchedNames.map((domain) => ({
            domain,
            available: false,
            status: 'REGISTERED',
          })),
        },
      },
    ],
  },
  {
    title: 'StreamRows',
    // The list grows by one row at a time, and shows all in the end.
    read: (answers) => {
      const shown = answers.map(({ data }) => data.availability);
      const last: readonly Json[] = shown.at(-1) ?? [];
      return [
        new Map(last.map(({ domain, available }) => [domain, available])),
        shown.every((rows, index) => isDeepStrictEqual(rows, last.slice(0, index + 1))),
      ];
    },
    expected: [
      new Map([
        ['idea.test', true],
        ['taken.test', false],
        ['busy-idea.test', false],
        ['slow-idea.test', false],
      ]),
      true,
    ],
  },
  {
    title: 'TimeBudget',
    read: ([answer]) => answer,
    expected: {
      data: {
        domains: ['slow-search.test', 'slow-search.shop.test'].map((domain) => ({
          domain,
          status: 'PENDING',
        })),
      },
    },
  },
  {
    title: 'FullRecord',
    read: ([answer]) => answer,
    expected: {
      data: {
        domain: expect.objectContaining({
          status: 'REGISTERED',
          phase: 'ACTIVE',
          rdap: expect.objectContaining({
            registrar: expect.objectContaining({ name: 'Sandbox Registrar Ltd' }),
            registrant: expect.objectContaining({ email: null }),
            redacted: expect.arrayContaining([
              expect.objectContaining({ name: 'Registrant Email' }),
            ]),
            raw: expect.objectContaining({ ldhName: 'taken.shop.test' }),
          }),
        }),
      },
    },
  },
  {
    title: 'RegistrarRecord',
    read: (answers) => answers.at(-1),
    expected: {
      data: {
        domain: {
          rdap: { registrar: { name: 'Sandbox Registrar Ltd' } },
          registrarRdap: null,
          registrarProblem: null,
        },
      },
    },
  },
  {
    title: 'Networks',
    read: ([answer]) =>
      answer?.data?.domain.rdap.hosts.flatMap(({ name, addresses }: Json) =>
        addresses.map(({ ip, network }: Json) => [
          name,
          ip,
          network.name,
          network.entities[0].contact.name,
        ]),
      ),
    expected: [
      ['ns1.example-dns.test', '192.0.2.53', 'EXAMPLE-DNS-1', 'Example DNS Ltd'],
      ['ns1.example-dns.test', '2001:db8:1::53', 'EXAMPLE-DNS-2', 'Example DNS Ltd'],
      ['ns2.example-dns.test', '198.51.100.53', 'TEST-NET-2', 'Sandbox Networks Ltd'],
      ['ns2.example-dns.test', '2001:db8:2::53', 'DOCUMENTATION-V6', 'Sandbox Networks Ltd'],
    ],
  },
  {
    title: 'Address',
    read: ([answer]) => answer,
    expected: {
      data: {
        ip: expect.objectContaining({
          found: true,
          cidr: ['192.0.2.0/26'],
          entities: expect.arrayContaining([
            {
              roles: ['registrant'],
              handle: 'EXAMPLE-DNS-SANDBOX',
              entity: {
                networks: [
                  { cidr: ['192.0.2.0/26'], name: 'EXAMPLE-DNS-1' },
                  { cidr: ['2001:db8:1::/48'], name: 'EXAMPLE-DNS-2' },
                ],
                autnums: [{ startNumber: 64497 }],
              },
            },
          ]),
        }),
      },
    },
  },
  {
    title: 'AutonomousSystem',
    read: ([answer]) => answer,
    expected: {
      data: {
        autnum: expect.objectContaining({ found: true, startNumber: 64496, country: 'GB' }),
        notAllocated: { found: false },
      },
    },
  },
  {
    title: 'Entity',
    read: ([answer]) => answer,
    expected: {
      data: {
        entity: expect.objectContaining({
          found: true,
          contact: expect.objectContaining({ name: 'Example DNS Ltd' }),
          autnums: [{ startNumber: 64497, name: 'DOCUMENTATION-AS64497' }],
        }),
        registrar: expect.objectContaining({
          found: true,
          publicIds: [{ type: 'IANA Registrar ID', identifier: '9999' }],
        }),
      },
    },
  },
  {
    title: 'Evidence',
    read: ([answer]) => answer,
    expected: {
      data: {
        domain: {
          status: 'UNKNOWN',
          problem: expect.objectContaining({ code: 'untrusted_answer' }),
          evidence: expect.objectContaining({ httpStatus: 404, mediaType: 'text/html' }),
        },
      },
    },
  },
  {
    title: 'FullNames',
    read: ([answer]) =>
      answer?.data?.domains.map((row: Json) => [
        row.unicodeName,
        row.available,
        row.status,
        row.problem?.code ?? null,
      ]),
    expected: [
      ['bücher.test', true, 'AVAILABLE', null],
      ['taken.test', false, 'REGISTERED', null],
      ['reserved.test', false, 'RESERVED', null],
      ['redemption.test', false, 'REDEMPTION', null],
      ['not a name', null, 'INVALID', 'invalid_name'],
      ['example.invalid', null, 'UNSUPPORTED_TLD', 'unsupported_tld'],
      ['down.test', null, 'UNKNOWN', 'registry_error'],
    ],
  },
  {
    title: 'Site',
    read: ([answer]) => [
      answer?.data?.site.page,
      answer?.data?.site.robots.access,
      answer?.data?.site.dns.mx[0].exchange,
    ],
    expected: [
      { title: 'Sandbox shop at taken.test', fetchState: 'OK' },
      'RULES',
      'mail.taken.test',
    ],
  },
  {
    title: 'Catalogue',
    read: ([answer]) =>
      answer?.data?.tlds.nodes.filter(({ sources }: Json) => sources.length > 0).slice(0, 2),
    expected: ['com', 'net'].map((label) => ({
      label,
      sources: [{ source: 'rdap', endpoint: 'https://rdap.invalid/' }],
      provesAvailable: true,
      health: { queued: 0, retryAt: null, p50Ms: null, errorRate: null },
    })),
  },
  { title: 'Account', read: ([answer]) => answer, expected: { data: { account: null } } },
];

const pendingOperations = [
  { name: 'Plain', text: 'query Plain { domain(name: "hang.test") { available } }' },
  {
    name: 'Deferred',
    text: 'query Deferred { domain(name: "hang.test") { domain ... @defer { available } } }',
  },
  {
    name: 'Streamed',
    text: 'subscription Streamed { availability(domains: ["hang.test"]) { available } }',
  },
];

const meteredOperations = [
  {
    name: 'Plain',
    text: 'query Plain { domain(name: "a.example") { available rdap { handle } } }',
    charged: 2,
  },
  {
    name: 'Deferred',
    text: 'query Deferred { domains(domains: ["b.example", "c.example"]) { domain ... @defer { status } } }',
    charged: 2,
  },
  {
    name: 'Streamed',
    text: 'subscription Streamed { availability(name: "d", tlds: ["example"]) { status } }',
    charged: 1,
  },
];

describe('GraphiQL in a browser', () => {
  it('opens with one example per tab, the result of the first one, and links', async (context) => {
    const { page, tabs } = await openGraphiql(started, context, gateway.url);
    expect(await tabs()).toEqual(examples.map(({ title }) => title));
    expect(await page.locator('.result-window').textContent()).toContain('ns1.example-dns.test');
    const links = page.getByRole('navigation', { name: 'Site' }).getByRole('link');
    expect(await links.evaluateAll((all) => all.map((link) => String(link)))).toEqual(
      ['/', '/graphql', '/docs'].map((path) => `${gateway.url}${path}`),
    );
  });

  it('runs no operation of the user on load', async (context) => {
    const { page, openTab } = await openGraphiql(started, context, gateway.url);
    await openTab('Account');
    const sent: (string | null)[] = [];
    page.on('request', (request) => void sent.push(request.postData()));
    await page.reload();
    await page.locator('.graphiql-doc-explorer-icon, .graphiql-query-editor').first().waitFor();
    await expect.poll(() => sent.some((body) => body?.includes('__schema'))).toBe(true);
    expect(sent.filter((body) => body?.includes('query Account'))).toEqual([]);
  });

  it('shows the operation of a link without running it, and links to what the editors show', async (context) => {
    const { page, tabs, write, run, answers } = await openGraphiql(started, context, gateway.url);
    const linked = {
      query:
        'query One { __typename }\nquery Two($tld: String!) { domain(name: "taken", tld: $tld) { status } }',
      variables: '{"tld":"test"}',
      operationName: 'Two',
    };
    const sent: (string | null)[] = [];
    page.on('request', (request) => void sent.push(request.postData()));
    const editors = () =>
      page.evaluate(
        `['.graphiql-query-editor', '.graphiql-editor-tool'].map((part) => document.querySelector(part + ' .CodeMirror')?.CodeMirror.getValue())`,
      );
    // The first time, GraphiQL has tabs of an earlier visit.
    for (const visit of ['with tabs', 'without tabs']) {
      if (visit === 'without tabs') await page.evaluate('localStorage.clear()');
      await page.goto(`${gateway.url}/graphql?${String(new URLSearchParams(linked))}`);
      await expect.poll(editors, { message: visit }).toEqual([linked.query, linked.variables]);
      const cursor = `document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror.getCursor().line`;
      await expect.poll(() => page.evaluate(cursor), { message: visit }).toBe(1);
      await expect.poll(() => sent.some((body) => body?.includes('__schema'))).toBe(true);
      expect(await tabs()).toHaveLength(examples.length + 1);
    }
    expect(sent.filter((body) => body?.includes('query Two'))).toEqual([]);
    await write({
      name: 'Three',
      text: 'query Three($tld: String!) { domain(name: "taken", tld: $tld) { available } }',
    });
    const link = page.getByRole('link', { name: 'Link to this operation' });
    await link.hover();
    const shared = String(await link.evaluate((anchor) => String(anchor)));
    expect(Object.fromEntries(new URL(shared).searchParams)).toEqual({
      query: 'query Three($tld: String!) { domain(name: "taken", tld: $tld) { available } }',
      variables: linked.variables,
      operationName: 'Three',
    });
    await page.goto(shared);
    await expect
      .poll(editors)
      .toEqual([new URL(shared).searchParams.get('query'), linked.variables]);
    await run();
    await expect
      .poll(async () => (await answers()).at(-1)?.data)
      .toEqual({ domain: { available: false } });
  });

  it('is dark if the system is, without accessibility violations, also on a new tab', async (context) => {
    const { page, openTab } = await openGraphiql(started, context, gateway.url, {
      colorScheme: 'light',
      bypassCSP: true,
    });
    // The keyboard scrolls an editor in its text field, which is beside the scrollable region.
    const violations = () =>
      accessibilityViolations(page, {
        rules: { 'scrollable-region-focusable': { enabled: false } },
      });
    const background = () =>
      page.evaluate(
        'getComputedStyle(document.querySelector(".graphiql-container")).backgroundColor',
      );
    const light = await background();
    expect(await violations()).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).not.toBe(light);
    expect(await violations()).toEqual([]);
    await openTab('StreamRows');
    await page.getByRole('button', { name: /^(?:Add|New) tab$/ }).click();
    expect(await violations()).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await violations()).toEqual([]);
    const current = page.locator('.graphiql-tabs [aria-current=true]');
    expect(await current.allTextContents()).toEqual(['<untitled>']);
  });

  it('runs all examples, and shows their full lines in a window of 1280 pixels', async (context) => {
    const { page, openTab, run, answers } = await openGraphiql(started, context, gateway.url);
    for (const { title, read, expected } of examples) {
      await openTab(title);
      expect(await page.evaluate(clippedLines), title).toEqual([]);
      await run();
      await expect.poll(async () => read(await answers()), { message: title }).toEqual(expected);
    }
  });

  it('aborts stopped requests', async (context) => {
    const { page, write, run, stop, answers } = await openGraphiql(started, context, gateway.url);
    for (const operation of pendingOperations) {
      await write(operation);
      const [request] = await Promise.all([page.waitForEvent('request'), run()]);
      const [aborted] = await Promise.all([page.waitForEvent('requestfailed'), stop()]);
      expect(aborted, operation.name).toBe(request);
      expect((await answers()).flatMap(({ errors }) => errors ?? [])).toEqual([]);
      await page.getByRole('button', { name: 'Execute query' }).waitFor();
    }
  });

  it('shows the error of a rejected operation', async (context) => {
    const { write, run, answers } = await openGraphiql(started, context, gateway.url);
    await write({ name: 'Rejected', text: 'query Rejected { domain(name: "-") { available } }' });
    await run();
    await expect
      .poll(async () => (await answers()).at(-1)?.errors[0].extensions.code)
      .toBe('invalid_name');
  });

  it('shows an error for an invalid key, and sends no request with it', async (context) => {
    const { page, run, answers } = await openGraphiql(started, context, gateway.url);
    await page.getByLabel('API key').fill('ключ');
    await run();
    const message = 'Invalid API key: keys consist of ASCII letters, digits and symbols.';
    await expect.poll(async () => (await answers()).at(-1)).toEqual({ errors: [{ message }] });
  });

  it('sends the entered API key, and shows the cost', async (context) => {
    const metered = await forThisTest(startMeteredGateway, { env: { AUTH: 'auto' } });
    const { key } = await metered.newCustomer({ credits: 1000 });
    let remaining = 1000;
    const { url } = metered.gateway;
    const { page, write, run, answers } = await openGraphiql(started, context, url);
    await page.getByLabel('API key').fill(key);
    for (const { name, text, charged } of meteredOperations) {
      await write({ name, text });
      await run();
      remaining -= charged;
      const cost = { requested: charged, charged, refunded: 0, remaining };
      await expect.poll(async () => (await answers()).at(-1)?.extensions).toEqual({ cost });
    }
    // The key is stored for this tab only.
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(key);
    await page.reload();
    expect(await page.getByLabel('API key').inputValue()).toBe(key);
  });

  it.for([390, 320])(
    'fits a window that is %i pixels wide, which scrolls only vertically',
    async (width, context) => {
      const parts = ['.graphiql-query-editor', '.result-window', '.api-key', '.graphiql-plugin'];
      const viewport = { width, height: 700 };
      const graphiql = await openGraphiql(started, context, gateway.url, { viewport });
      const { page, run, answers } = graphiql;
      await page.getByRole('button', { name: 'Documentation Explorer' }).click();
      await run();
      await expect.poll(answers).not.toEqual([]);
      for (const part of parts) {
        const { x = -1, width: partWidth = 0 } = (await page.locator(part).boundingBox()) ?? {};
        expect(x, part).toBeGreaterThanOrEqual(0);
        expect(x + partWidth, part).toBeLessThanOrEqual(width);
        expect(partWidth, part).toBeGreaterThan(width * 0.9);
      }
      await page.getByLabel('API key').scrollIntoViewIfNeeded();
      expect(await page.evaluate('scrollY')).toBeGreaterThan(0);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    },
  );
});

/** A script that returns the lines of the editor whose end is not visible. */
const clippedLines = `(() => {
  const editor = document.querySelector('.graphiql-query-editor .CodeMirror');
  const { right } = editor.getBoundingClientRect();
  const lines = editor.CodeMirror.getValue().split('\\n');
  return lines.filter((text, line) => editor.CodeMirror.charCoords({ line, ch: text.length }, 'window').right > right);
})()`;
