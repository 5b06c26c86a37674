import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { startGateway, type Gateway, type Json } from '../support/gateway.ts';
import { waitOptions, withGraphiql, type GraphiqlPage } from '../support/graphiql-page.ts';
import { startMeteredGateway } from '../support/metered-gateway.ts';

const started = await startBrowser();
let gateway: Gateway;
beforeAll(async () => {
  // Time enough that no request to `hang.test` ends by itself.
  const registries = { com: 'https://rdap.invalid/', net: 'https://rdap.invalid/' };
  gateway = await startGateway({ registries, env: { RDAP_TIMEOUT_MS: '60000' } });
});
afterAll(async () => {
  if (!('absent' in started)) await started.close();
  await gateway[Symbol.asyncDispose]();
});

function inGraphiql(
  context: TestContext,
  use: (graphiql: GraphiqlPage) => Promise<void>,
  options?: Parameters<Browser['newContext']>[0],
) {
  return 'absent' in started
    ? context.skip(started.absent)
    : withGraphiql(started.browser, gateway.url, use, options);
}

const searched = [
  'slow-idea.test',
  'slow-idea.shop.test',
  'slow-idea.app.test',
  'slow-idea.dev.test',
];

/** The first tabs, and what somebody sees who runs them. */
const examples: readonly {
  title: string;
  shows: (answers: readonly Json[]) => unknown;
  expected: unknown;
}[] = [
  {
    title: 'OneName',
    shows: ([answer]) => answer,
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
    title: 'Search',
    shows: (answers) => [answers[0], answers.at(-1)],
    expected: [
      { data: { domains: searched.map((domain) => ({ domain })) } },
      {
        data: {
          domains: searched.map((domain) => ({ domain, available: false, status: 'REGISTERED' })),
        },
      },
    ],
  },
  {
    title: 'AsKnown',
    shows: (answers) =>
      new Map(
        answers.map(({ data: { availability } }) => [availability.domain, availability.available]),
      ),
    expected: new Map([
      ['idea.test', true],
      ['taken.test', false],
      ['busy-idea.test', false],
      ['slow-idea.test', false],
    ]),
  },
  {
    title: 'FullRecord',
    shows: ([answer]) => answer,
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
    title: 'WholeNames',
    shows: ([answer]) =>
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
    title: 'Catalogue',
    shows: ([answer]) => answer,
    expected: {
      data: {
        tlds: {
          totalCount: 2,
          pageInfo: { hasNextPage: false, endCursor: 'net' },
          nodes: ['com', 'net'].map((label) => ({
            label,
            rdap: true,
            registryHost: 'rdap.invalid',
            health: { queued: 0, retryAt: null, p50Ms: null, errorRate: null },
          })),
        },
      },
    },
  },
];

const unanswered = [
  { name: 'Whole', text: 'query Whole { domain(name: "hang.test") { available } }' },
  {
    name: 'Deferred',
    text: 'query Deferred { domain(name: "hang.test") { domain ... @defer { available } } }',
  },
  {
    name: 'Streamed',
    text: 'subscription Streamed { availability(domains: ["hang.test"]) { available } }',
  },
];

const metered = [
  {
    name: 'Whole',
    text: 'query Whole { domain(name: "a.example") { available rdap { handle } } }',
    charged: 2,
  },
  {
    name: 'Deferred',
    text: 'query Deferred { domains(domains: ["a.example", "b.example"]) { domain ... @defer { status } } }',
    charged: 2,
  },
  {
    name: 'Streamed',
    text: 'subscription Streamed { availability(name: "a", tlds: ["example"]) { status } }',
    charged: 1,
  },
];

describe('GraphiQL in a browser', () => {
  it('opens with an example in each tab', async (context) => {
    await inGraphiql(context, async ({ tabs }) => {
      expect(await tabs()).toEqual(examples.map(({ title }) => title));
    });
  });

  it.for(examples)('answers the example $title', async ({ title, shows, expected }, context) => {
    await inGraphiql(context, async ({ openTab, run, answers }) => {
      await openTab(title);
      await run();
      await expect.poll(async () => shows(await answers()), waitOptions).toEqual(expected);
    });
  });

  it.for(examples)(
    'shows the example $title whole in a window of 1280 pixels',
    async ({ title }, context) => {
      await inGraphiql(context, async ({ page, openTab }) => {
        await openTab(title);
        expect(await page.evaluate(cutLines)).toEqual([]);
      });
    },
  );

  it.for(unanswered)('lets go of a request that is stopped: $name', async (operation, context) => {
    await inGraphiql(context, async ({ page, write, run, stop, answers }) => {
      await write(operation);
      const [request] = await Promise.all([page.waitForEvent('request'), run()]);
      const [left] = await Promise.all([page.waitForEvent('requestfailed'), stop()]);
      expect(left).toBe(request);
      expect((await answers()).flatMap(({ errors }) => errors ?? [])).toEqual([]);
      await page.getByRole('button', { name: 'Execute query' }).waitFor();
    });
  });

  it('shows what the gateway says of an operation that it refuses', async (context) => {
    await inGraphiql(context, async ({ write, run, answers }) => {
      await write({ name: 'Refused', text: 'query Refused { domain(name: "-") { available } }' });
      await run();
      await expect
        .poll(async () => (await answers()).at(-1)?.errors[0].extensions.code, waitOptions)
        .toBe('invalid_name');
    });
  });

  it('says in a sentence what is no key, and sends nothing with it', async (context) => {
    await inGraphiql(context, async ({ page, run, answers }) => {
      await page.getByLabel('API key').fill('ключ');
      await run();
      const sentence = 'This is no API key: a key has only Latin letters, digits and signs.';
      await expect
        .poll(async () => (await answers()).at(-1), waitOptions)
        .toEqual({ errors: [{ message: sentence }] });
    });
  });

  it.for(metered)(
    'pays with the key that it is given, and shows the cost: $name',
    async ({ name, text, charged }, context) => {
      await using at = await startMeteredGateway({ env: { AUTH: 'auto' } });
      const { key } = await at.newCustomer({ credits: 1000 });
      const use = async ({ page, write, run, answers }: GraphiqlPage) => {
        await page.getByLabel('API key').fill(key);
        await write({ name, text });
        await run();
        const cost = { requested: charged, charged, refunded: 0, remaining: 1000 - charged };
        await expect
          .poll(async () => (await answers()).at(-1)?.extensions, waitOptions)
          .toEqual({ cost });
        // In this tab alone, and gone with it.
        expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(key);
        await page.reload();
        expect(await page.getByLabel('API key').inputValue()).toBe(key);
      };
      if ('absent' in started) context.skip(started.absent);
      else await withGraphiql(started.browser, at.gateway.url, use);
    },
  );

  it.for([390, 320])(
    'shows all that it has in a window %i pixels wide, which scrolls down and not aside',
    async (width, context) => {
      const parts = ['.graphiql-query-editor', '.result-window', '.api-key', '.graphiql-plugin'];
      const use = async ({ page, run, answers }: GraphiqlPage) => {
        await page.getByRole('button', { name: 'Documentation Explorer' }).click();
        await run();
        await expect.poll(answers, waitOptions).not.toEqual([]);
        for (const part of parts) {
          const { x = -1, width: wide = 0 } = (await page.locator(part).boundingBox()) ?? {};
          expect(x, part).toBeGreaterThanOrEqual(0);
          expect(x + wide, part).toBeLessThanOrEqual(width);
          expect(wide, part).toBeGreaterThan(width * 0.9);
        }
        await page.getByLabel('API key').scrollIntoViewIfNeeded();
        expect(await page.evaluate('scrollY')).toBeGreaterThan(0);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      };
      await inGraphiql(context, use, { viewport: { width, height: 700 } });
    },
  );

  it('is dark where the reader’s system is', async (context) => {
    const backgrounds: unknown[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await inGraphiql(
        context,
        async ({ page }) =>
          void backgrounds.push(
            await page.evaluate(
              'getComputedStyle(document.querySelector(".graphiql-container")).backgroundColor',
            ),
          ),
        { colorScheme },
      );
    }
    expect(new Set(backgrounds).size).toBe(2);
  });
});

/** In the page: the lines of the editor whose end is out of sight. */
const cutLines = `(() => {
  const editor = document.querySelector('.graphiql-query-editor .CodeMirror');
  const { right } = editor.getBoundingClientRect();
  const lines = editor.CodeMirror.getValue().split('\\n');
  return lines.filter((text, line) => editor.CodeMirror.charCoords({ line, ch: text.length }, 'window').right > right);
})()`;
