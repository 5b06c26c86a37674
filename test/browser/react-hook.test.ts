import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { startBrowser } from '../support/requests/browser.ts';
import { startGateway } from '../support/gateways/gateway.ts';

const started = await forThisFile(startBrowser);

const gateway = await forThisFile(startGateway);

const file = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const vendored = (path: string) => file(`../../src/website/vendor/${path}`);

/** The hook of the front-end guide as a classic script, for React's bundle. */
const hook = `const { useEffect, useState } = React;
${file('../clients/fetch.js')}${file('../clients/use-domain-search.js')}`
  .replaceAll(/^import .*$/gm, '')
  .replaceAll(/^export /gm, '');

const app = `
  window.states = [];
  const App = ({ name }) => {
    states.push(useDomainSearch('/graphql', name, ['test', 'shop.test']));
    return null;
  };
  const root = ReactDOM.createRoot(document.createElement('div'));
  window.search = (name) => root.render(React.createElement(App, { name }));
`;

it('the React hook of the front-end guide shows the rows of the latest search, and its error', async (context) => {
  if ('absent' in started) return context.skip(started.absent);
  // The test adds scripts, which the policy of the page forbids.
  const page = await started.browser.newPage({ bypassCSP: true });
  await page.goto(`${gateway.url}/docs/errors`);
  for (const content of [
    vendored('react/react.production.min.js'),
    vendored('react-dom/react-dom.production.min.js'),
    `{${hook}${app}}`,
  ])
    await page.addScriptTag({ content });
  const lastState = () => page.evaluate('states.at(-1)');
  await page.evaluate('search("hang-first"); search("taken-idea")');
  const rows = expect.arrayContaining(
    ['taken-idea.test', 'taken-idea.shop.test'].map((domain) => ({ domain, available: false })),
  );
  await expect.poll(lastState).toEqual({ rows, isLoading: false });
  await page.evaluate('search("-")');
  await expect.poll(lastState).toEqual({ rows: [], isLoading: false, error: 'invalid_name' });
  await page.close();
});
