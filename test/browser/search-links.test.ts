import { describe, expect } from 'vitest';
import { registered } from '../support/bodies/replies.ts';
import { it, type SearchPage } from '../support/requests/search-page.ts';

const linksOf = async (within: SearchPage['panel']) =>
  Promise.all(
    (await within.locator('dl a').all()).map(async (link) => [
      await link.getAttribute('href'),
      await link.innerText(),
    ]),
  );

const card = (...lines: readonly (readonly [string, string])[]) => ({
  vcardArray: ['vcard', lines.map(([property, value]) => [property, {}, 'text', value])],
});

const entities = [
  {
    objectClassName: 'entity',
    roles: ['registrar'],
    ...card(['fn', 'https://name.test/'], ['url', 'https://registrar.test/']),
    entities: [
      {
        objectClassName: 'entity',
        roles: ['abuse'],
        ...card(['fn', 'Abuse'], ['email', 'abuse@registrar.test'], ['tel', '+1.5550100']),
      },
    ],
  },
  {
    objectClassName: 'entity',
    roles: ['registrant'],
    ...card(['fn', 'mailto:holder@name.test'], ['org', 'tel:+1.5550199']),
  },
];

describe('the details of a name', () => {
  it('link the URLs and addresses of a registrar, but not texts that look like one', async ({
    registry,
    openPage,
  }) => {
    const statuses = ['https://status.test/'];
    registry.on('idea.com', registered('idea.com', { statuses, members: { entities } }));
    const { panel } = await openPage({ search: '?d=idea.com' });
    for (const text of ['https://name.test/', 'tel:+1.5550199', ...statuses])
      await panel.locator('dd').getByText(text, { exact: true }).waitFor();
    expect(await linksOf(panel)).toEqual([
      ['https://registrar.test/', 'https://registrar.test/'],
      ['mailto:abuse@registrar.test', 'abuse@registrar.test'],
      ['tel:+1.5550100', '+1.5550100'],
    ]);
  });

  it('link the URL of an offer, but not its text', async ({ registry, openPage }) => {
    registry.on('idea.com', registered('idea.com', { members: { entities: [] } }));
    const offers = [
      { text: 'https://text.test/', amount: null, currency: null, uri: 'https://offer.test/' },
      { text: null, amount: null, currency: null, uri: 'javascript:alert(1)' },
    ];
    const { page, tile, panel } = await openPage({ search: '?q=idea' });
    const json = { data: { domain: { forSale: { forSale: true, offers } } } };
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('query Sale(')
        ? route.fulfill({ json })
        : route.fallback(),
    );
    await tile('idea.com').click();
    await panel.getByText('javascript:alert(1)').waitFor();
    expect(await linksOf(panel)).toEqual([['https://offer.test/', 'https://offer.test/']]);
  });
});

it('the card of a network links its registry', async ({ openPage }) => {
  const { page } = await openPage({ search: '?q=192.0.2.1' });
  const object = page.locator('#object');
  await object.getByText('EXAMPLE-DNS-1').first().waitFor();
  expect(await linksOf(object)).toContainEqual([
    expect.stringMatching(/^http.*\/$/),
    expect.stringMatching(/^http/),
  ]);
});
