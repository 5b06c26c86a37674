import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { isIP } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type Gateway } from './support/gateways/gateway.ts';

const systemLookup = dns.lookup;

/** How the resolver of an offline machine behaves; IP addresses need no resolution. */
const resolvers: Readonly<Record<string, typeof dns.lookup>> = {
  'fails immediately': resolver((fail) => void setImmediate(fail)),
  hangs: resolver(() => undefined),
};

function resolver(answer: (fail: () => void) => void): typeof dns.lookup {
  const lookup = (
    host: string,
    options: dns.LookupOptions,
    callback: (error: Error | null) => void,
  ) => {
    if (isIP(host)) return systemLookup(host, options, callback);
    answer(() =>
      callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' })),
    );
  };
  return lookup as typeof dns.lookup;
}

describe.each(Object.entries(resolvers))(
  'the gateway without a network, whose resolver %s',
  (_how, lookup) => {
    let gateway: Gateway;
    beforeAll(async () => {
      dns.lookup = lookup;
      syncBuiltinESMExports();
      gateway = await startGateway({
        env: {
          RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json',
          RDAP_ALLOW_PRIVATE: 'false',
          RDAP_TIMEOUT_MS: '1500', // also the limit of the sandbox, which must not depend on the load
        },
      });
    });
    afterAll(async () => {
      await gateway[Symbol.asyncDispose]();
      dns.lookup = systemLookup;
      syncBuiltinESMExports();
    });

    it('starts and is ready', async () => {
      expect((await gateway.fetch('/health')).status).toBe(200);
      expect((await gateway.fetch('/ready')).status).toBe(200);
    });

    it('answers every .test name', async () => {
      const { data } = await gateway.graphql(
        '{ domains(name: "taken", tlds: ["test", "shop.test"]) { available } }',
      );
      expect(data.domains).toEqual([{ available: false }, { available: false }]);
    });

    it('returns UNKNOWN for names under real TLDs', async () => {
      const reason = expect.stringMatching(/^registry_(?:error|timeout)$/);
      const { data } = await gateway.graphql(
        '{ domain(name: "example.com") { status available reason source } }',
      );
      expect(data.domain).toEqual({ status: 'UNKNOWN', available: null, reason, source: 'rdap' });
      const answer = await gateway.fetch('/v1/status?name=example&tlds=net,org,no-such-tld');
      const { results } = await answer.json();
      expect(answer.status).toBe(200);
      expect(results).toMatchObject([
        { domain: 'example.net', status: 'unknown', available: null, reason },
        { domain: 'example.org', status: 'unknown', available: null, reason },
        {
          domain: 'example.no-such-tld',
          status: 'unsupported_tld',
          available: null,
          reason: 'unsupported_tld',
        },
      ]);
    });

    it('returns a retryable problem for a record under a real TLD', async () => {
      const answer = await gateway.fetch('/v1/rdap?domain=example.com');
      const body = await answer.json();
      expect([502, 504]).toContain(answer.status);
      expect(body).toMatchObject({
        status: answer.status,
        code: answer.status === 502 ? 'registry_error' : 'registry_timeout',
        retryable: true,
      });
    });
  },
);
