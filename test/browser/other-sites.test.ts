import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { startEmptySite } from '../support/servers/http-server.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startBrowser, withNewProfile } from '../support/requests/browser.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { registered } from '../support/bodies/replies.ts';

const started = await forThisFile(startBrowser);
let registry: FakeRegistry;
let gateway: Gateway;
const otherSite = await forThisFile(startEmptySite);

beforeEach(async () => {
  registry = await forThisTest(startFakeRegistry);
  registry.on('private.example', registered('private.example'));
  gateway = await forThisTest(startGateway, { registries: { example: registry.baseUrl } });
});

const statusUrl = () => `${gateway.url}/v1/status?domain=private.example`;
const eventsUrl = () =>
  `${gateway.url}/graphql?query=${encodeURIComponent('subscription { availability(domains: ["private.example"]) { status } }')}`;

/** Returns a script that embeds a URL and resolves after the browser has loaded or rejected it. */
const embed = (tag: string, attribute: string, url: string) => `new Promise((resolve) => {
  const element = document.createElement('${tag}');
  element.onload = element.onerror = () => resolve();
  element.rel = 'stylesheet';
  element.${attribute} = ${JSON.stringify(url)};
  document.body.append(element);
})`;

describe('a page of another site, without a key, causes no lookup', () => {
  it.for<[kind: string, script: () => string]>(
    Object.entries({
      'an image': () => embed('img', 'src', statusUrl()),
      'a script': () => embed('script', 'src', statusUrl()),
      'a style sheet': () => embed('link', 'href', statusUrl()),
      'a frame': () => embed('iframe', 'src', statusUrl()),
      'a fetch without CORS': () =>
        `fetch(${JSON.stringify(statusUrl())}, { mode: 'no-cors' }).catch(() => undefined)`,
      'an event source': () =>
        `new Promise((resolve) => (new EventSource(${JSON.stringify(eventsUrl())}).onerror = () => resolve()))`,
    }),
  )('through %s', async ([, script], context) => {
    await withNewProfile(started, context, otherSite.url, async (page) => {
      await page.evaluate(`${script()}.then(() => undefined)`);
      expect(registry.requests).toEqual([]);
    });
  });

  it('through a fetch with CORS, whose status it can read', async (context) => {
    await withNewProfile(started, context, otherSite.url, async (page) => {
      expect(
        await page.evaluate(
          `fetch(${JSON.stringify(statusUrl())}).then((response) => response.status)`,
        ),
      ).toBe(401);
      expect(registry.requests).toEqual([]);
    });
  });

  it('through a link that a user follows', async (context) => {
    await withNewProfile(started, context, otherSite.url, async (page) => {
      const response = page.waitForResponse(statusUrl());
      await page.evaluate(`location.href = ${JSON.stringify(statusUrl())}`);
      expect((await response).status()).toBe(401);
      expect(registry.requests).toEqual([]);
    });
  });
});

describe('requests without a key', () => {
  it("cause lookups if the gateway's own pages send them", async (context) => {
    await withNewProfile(started, context, gateway.url, async (page) => {
      const [{ status }] = await page.evaluate<
        [{ status: string }]
      >(`fetch(${JSON.stringify(statusUrl())})
        .then((response) => response.json()).then(({ results }) => results)`);
      expect(status).toBe('registered');
    });
  });

  it('cause lookups if the user enters an API URL in the address bar', async (context) => {
    await withNewProfile(started, context, 'about:blank', async (page) => {
      expect((await page.goto(statusUrl()))?.status()).toBe(200);
      expect(registry.requests.length).toBeGreaterThan(0);
    });
  });
});
