import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { ApolloProvider } from '@apollo/client/react';
import { Window } from 'happy-dom';
import { readFileSync } from 'node:fs';
import type { ComponentType, ReactNode } from 'react';
import { Client, fetchExchange, Provider } from 'urql';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { guideText } from '../support/checks/guides.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { html, notFound, registered } from '../support/bodies/replies.ts';
import { paused } from '../support/bodies/scripts.ts';
import { Results as ApolloResults } from './react/apollo.tsx';
import { Results as UrqlResults } from './react/urql.tsx';

let registry: FakeRegistry;
let gateway: Gateway;
const page = new Window();
beforeAll(async () => {
  registry = await startFakeRegistry();
  registry.on(/^html/, html(404));
  gateway = await startGateway({
    registries: { example: registry.baseUrl, invalid: registry.baseUrl },
  });
  const { document, HTMLIFrameElement } = page;
  for (const [name, value] of Object.entries({ window: page, document, HTMLIFrameElement }))
    vi.stubGlobal(name, value);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
  await page.happyDOM.close();
  vi.unstubAllGlobals();
});

interface Search {
  readonly name: string;
  readonly tlds: string[];
}

/** Returns a component as a page would use it, in the context of its client. */
type Example = (url: string) => Promise<(search: Search) => ReactNode>;

const examples: Readonly<Record<string, Example>> = {
  'Apollo Client': async (uri) => {
    const apollo = new ApolloClient({
      link: new HttpLink({ uri }),
      cache: new InMemoryCache(),
    });
    return ({ name, tlds }) => (
      <ApolloProvider client={apollo}>
        <ApolloResults key={name} name={name} tlds={tlds} />
      </ApolloProvider>
    );
  },
  urql: async (url) => {
    const client = new Client({
      url,
      exchanges: [fetchExchange],
      preferGetMethod: false,
      fetchSubscriptions: true,
    });
    return ({ name, tlds }) => (
      <Provider value={client}>
        <UrqlResults key={name} name={name} tlds={tlds} />
      </Provider>
    );
  },
  'plain fetch': async (url) => {
    // Without types, like the guide.
    const file: string = '../clients/results.jsx';
    const { Results } = (await import(file)) as {
      Results: ComponentType<Search & { url: string }>;
    };
    return ({ name, tlds }) => <Results url={url} name={name} tlds={tlds} />;
  },
};

it.each(Object.entries(examples))(
  'the React example for %s adds each row to the list as it arrives',
  async (client, example) => {
    // React tells at its import whether there is a page.
    const { createRoot } = await import('react-dom/client');
    const show = await example(`${gateway.url}/graphql`);
    const container = page.document.createElement('div');
    const root = createRoot(container as never);
    const rows = () => Array.from(container.querySelectorAll('li'), (item) => item.textContent);
    const isBusy = () => container.querySelector('ul')?.getAttribute('aria-busy');
    const id = client.toLowerCase().replace(' ', '-');

    const [slow, quick] = [paused(notFound()), paused(registered(`x${id}.invalid`))];
    registry.on(`x${id}.example`, slow);
    registry.on(`x${id}.invalid`, quick);
    root.render(show({ name: `x${id}`, tlds: ['example', 'invalid'] }));
    await registry.whenRequested(`x${id}.invalid`);
    quick.release();
    await expect.poll(rows).toEqual([`x${id}.invalid: taken`]);
    // urql does not tell when a stream has ended.
    if (client !== 'urql') expect(isBusy()).toBe('true');
    slow.release();
    await expect.poll(rows).toEqual([`x${id}.invalid: taken`, `x${id}.example: available`]);
    await expect.poll(isBusy).not.toBe('true');

    // The next search starts with an empty list.
    root.render(show({ name: `html${id}`, tlds: ['example'] }));
    await expect.poll(rows).toEqual([`html${id}.example: unknown`]);
    root.render(show({ name: '-', tlds: ['example'] }));
    await expect.poll(() => container.querySelector('[role=alert]')?.textContent).toBeTruthy();
    root.unmount();
    // React finishes its work in a task of its own.
    await new Promise(setImmediate);
  },
);

it('the front-end guide contains the tested file results.jsx', () => {
  const code = readFileSync(new URL('../clients/results.jsx', import.meta.url), 'utf8');
  expect(guideText('front-end-guide')).toContain(`\`\`\`jsx\n${code}\`\`\`\n`);
});
