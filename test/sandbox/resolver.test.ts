import { Resolver } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandboxResolver } from '../../src/sandbox/resolver.ts';

describe('the resolver of the sandbox', () => {
  const dns = new Resolver({ timeout: 1000, tries: 1 });
  let server: Awaited<ReturnType<typeof startSandboxResolver>>;
  beforeAll(async () => {
    server = await startSandboxResolver();
    dns.setServers([`127.0.0.1:${server.port}`]);
  });
  afterAll(() => server.close());

  it('has records of every type for a name with a site', async () => {
    expect(await dns.resolve4('taken.test')).toEqual([expect.stringMatching(/^192\.0\.2\.\d+$/)]);
    expect(await dns.resolve6('taken.test')).toEqual([expect.stringMatching(/^2001:db8::/)]);
    expect(await dns.resolveMx('taken.test')).toMatchObject([
      { priority: 10, exchange: 'mail.taken.test' },
    ]);
    expect(await dns.resolveNs('taken.test')).toContain('ns1.example-dns.test');
    expect(await dns.resolveTxt('taken.test')).toEqual([['v=spf1 mx -all']]);
    expect(await dns.resolveCaa('taken.test')).toMatchObject([{ issue: 'ca.example-dns.test' }]);
    expect(await dns.resolveSoa('taken.test')).toMatchObject({ minttl: 300 });
  });

  it('has an alias for www, and addresses for the hosts of the certificates', async () => {
    expect(await dns.resolveCname('www.taken.test')).toEqual(['taken.test']);
    expect(await dns.resolve4('www.taken.test')).toEqual(await dns.resolve4('taken.test'));
    expect(await dns.resolve4('shop.taken.test')).toEqual(await dns.resolve4('taken.test'));
    await expect(dns.resolveTxt('shop.taken.test')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  it('has offers of sale for taken-for-sale.test alone', async () => {
    const records = await dns.resolveTxt('_for-sale.taken-for-sale.test');
    expect(records).toContainEqual(['v=FORSALE1;fval=EUR999']);
    expect(records.length).toBe(3);
  });

  it.each(['idea.test', 'other.taken.test', '_for-sale.taken.test', 'taken.example'])(
    'reports that %s does not exist',
    async (name) => {
      await expect(dns.resolve4(name)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    },
  );
});
