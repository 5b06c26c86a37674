import { describe, expect } from 'vitest';
import { registered } from '../support/bodies/replies.ts';
import { it, soon, type SearchPage } from '../support/requests/search-page.ts';

const hostButton = (panel: SearchPage['panel'], name: string) =>
  panel.getByRole('button', { name, exact: true });

/** Returns the domain object of a name with nameservers and their addresses. */
const hostedAt = (name: string, hosts: Readonly<Record<string, readonly string[]>>) =>
  registered(name, {
    members: {
      nameservers: Object.entries(hosts).map(([ldhName, v4]) => ({
        objectClassName: 'nameserver',
        ldhName,
        ...(v4.length > 0 && { ipAddresses: { v4 } }),
      })),
    },
  });

describe('a nameserver in the details of a name', () => {
  it('shows the networks of its addresses when it is opened, and hides them again', async ({
    openPage,
  }) => {
    const { page, panel } = await openPage({ search: '?d=taken.test' });
    const button = hostButton(panel, 'ns1.example-dns.test');
    await button.waitFor();
    expect(await button.getAttribute('aria-expanded')).toBe('false');
    const sent: (string | null)[] = [];
    page.on('request', (request) => void sent.push(request.postData()));
    await button.focus();
    await page.keyboard.press('Enter');
    await panel.getByText('Networks of 2 addresses:').waitFor();
    const items = panel.getByRole('listitem');
    expect(await items.allInnerTexts()).toEqual([
      expect.stringMatching(
        /^192\.0\.2\.53\s+EXAMPLE-DNS-1, 192\.0\.2\.0\/26, GB\s+Holder: Example DNS Ltd$/,
      ),
      expect.stringMatching(
        /^2001:db8:1::53\s+EXAMPLE-DNS-2, 2001:db8:1::\/48, GB\s+Holder: Example DNS Ltd$/,
      ),
    ]);
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    const list = panel.locator(`#${await button.getAttribute('aria-controls')}`);
    expect(await list.getByRole('listitem').count()).toBe(2);
    await page.keyboard.press('Enter');
    expect(await button.getAttribute('aria-expanded')).toBe('false');
    expect(await items.count()).toBe(0);
    await page.keyboard.press('Enter');
    expect(await items.count()).toBe(2);
    expect(sent.filter((body) => body?.includes('Networks'))).toHaveLength(1);
  });

  it('shows that its networks are loading, in a text for screen readers too', async ({
    openPage,
  }) => {
    const { page, panel } = await openPage({ search: '?d=taken.test' });
    const button = hostButton(panel, 'ns1.example-dns.test');
    await button.waitFor();
    const released = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      await released.promise;
      await route.continue();
    });
    await button.click();
    await panel.getByRole('status').filter({ hasText: 'Loading networks…' }).waitFor();
    released.resolve();
    await panel.getByRole('status').filter({ hasText: 'Networks of 2 addresses:' }).waitFor();
    expect(await panel.getByText('Loading networks…').count()).toBe(0);
  });

  it('says why a network is unknown, and that an address has none', async ({
    registry,
    openPage,
  }) => {
    const addresses = ['203.0.113.130', '203.0.113.1', '192.0.2.53'];
    registry.on('idea.com', hostedAt('idea.com', { 'ns1.idea.com': addresses }));
    const { panel } = await openPage({ search: '?d=idea.com' });
    await hostButton(panel, 'ns1.idea.com').click();
    await panel.getByText('EXAMPLE-DNS-1, 192.0.2.0/26, GB').waitFor();
    expect(await panel.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^203\.0\.113\.130\s+Unknown: The registry returned status 500\.$/),
      expect.stringMatching(/^203\.0\.113\.1\s+No network is registered for this address\.$/),
      expect.stringMatching(/^192\.0\.2\.53\s+EXAMPLE-DNS-1/),
    ]);
  });

  it('without addresses cannot be opened', async ({ registry, openPage }) => {
    registry.on('idea.com', hostedAt('idea.com', { 'ns1.idea.com': [] }));
    const { panel } = await openPage({ search: '?d=idea.com' });
    await panel.getByText('ns1.idea.com', { exact: true }).waitFor();
    expect(await hostButton(panel, 'ns1.idea.com').count()).toBe(0);
  });

  it('shows the networks of at most 10 addresses', async ({ registry, openPage }) => {
    const addresses = Array.from({ length: 12 }, (_, index) => `192.0.2.${index + 1}`);
    registry.on('idea.com', hostedAt('idea.com', { 'ns1.idea.com': addresses }));
    const { panel } = await openPage({ search: '?d=idea.com' });
    await hostButton(panel, 'ns1.idea.com').click();
    await panel.getByText('Networks of the first 10 of 12 addresses:').waitFor();
    expect(await panel.getByRole('listitem').count()).toBe(10);
  });

  it('says that the gateway cannot be reached, and loads again when it is opened again', async ({
    openGateway,
    openPage,
  }) => {
    const gateway = await openGateway();
    const { page, panel } = await openPage(
      {
        search: '?d=taken.test',
        expectedErrors: ['Failed to load resource: net::ERR_INTERNET_DISCONNECTED'],
      },
      gateway,
    );
    const button = hostButton(panel, 'ns2.example-dns.test');
    await button.waitFor();
    await page.context().setOffline(true);
    await button.click();
    await panel.getByText('The gateway cannot be reached.').waitFor();
    await page.context().setOffline(false);
    await button.click();
    await button.click();
    await panel.getByText('TEST-NET-2, 198.51.100.0/24, GB').waitFor();
    expect(await panel.getByText('The gateway cannot be reached.').count()).toBe(0);
  });
});

describe('an IP address or an AS number in the field', () => {
  const objects = [
    [
      '192.0.2.1',
      'It belongs to the network EXAMPLE-DNS-1.',
      /192\.0\.2\.0\/26[^]*Example DNS Ltd/,
    ],
    ['2001:db8:1::53', 'It belongs to the network EXAMPLE-DNS-2.', /2001:db8:1::\/48/],
    ['AS64496', 'It is the autonomous system DOCUMENTATION-AS64496.', /Sandbox Networks Ltd/],
    ['203.0.113.1', 'No network is registered for it.', /^$/],
    ['203.0.113.130', 'No answer. The registry returned status 500.', /^$/],
    ['192.0.2.1/33', '"192.0.2.1/33" is not an IP address or network', /^$/],
  ] as const;

  it('is looked up, and announced', async ({ openPage }) => {
    const { page, field, interpretation, names } = await openPage();
    const card = page.getByRole('region', { name: 'Registration' });
    for (const [text, answer, facts] of objects) {
      await field.fill(text);
      await card.getByRole('status').filter({ hasText: answer }).waitFor();
      expect(await card.getByRole('heading').innerText()).toBe(text);
      expect(await card.locator('dl').innerText()).toMatch(facts);
    }
    expect(await names()).toEqual([]);
    await field.fill('AS64496');
    await card.getByText('abuse@networks.example').waitFor();
    await interpretation.getByRole('button', { name: 'Search as64496 instead' }).click();
    await soon(names).toContain('as64496.com');
    expect(await card.isVisible()).toBe(false);
  });
});
