import { hash } from 'node:crypto';
import {
  ApolloClient,
  from,
  gql,
  HttpLink,
  InMemoryCache,
  type NormalizedCacheObject,
} from 'apollo-client-3/core';
import { createPersistedQueryLink } from 'apollo-client-3/link/persisted-queries';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { notFound, registered } from '../support/bodies/replies.ts';
import { paused } from '../support/bodies/scripts.ts';

let registry: FakeRegistry;
let gateway: Gateway;

beforeEach(async () => {
  registry = await startFakeRegistry();
  gateway = await startGateway({
    registries: { example: registry.baseUrl, invalid: registry.baseUrl },
  });
});
afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
});

function apolloClient(
  url = gateway.url,
  headers: Record<string, string> = {},
): ApolloClient<NormalizedCacheObject> {
  return new ApolloClient({
    link: new HttpLink({ uri: `${url}/graphql`, headers }),
    cache: new InMemoryCache(),
  });
}

/** Pauses the registry's responses for both names until the test releases them. */
function pauseNames() {
  const [slow, quick] = [paused(notFound()), paused(registered('x.invalid'))];
  registry.on('x.example', slow);
  registry.on('x.invalid', quick);
  return { slow, quick };
}

const search = gql`
  subscription Search($name: String!) {
    availability(name: $name, tlds: ["example", "invalid"]) {
      domain
      available
    }
  }
`;

/** Starts a subscription, and resolves with its first event or error. */
const firstEvent = (client: ApolloClient<NormalizedCacheObject>, name: string) =>
  new Promise((resolve) => {
    client
      .subscribe({ query: search, variables: { name } })
      .subscribe({ next: resolve, error: resolve });
  });

interface Row {
  readonly domain: string;
  readonly available?: boolean | null;
}

describe('Apollo Client 3 with a plain HttpLink', () => {
  it('shows each deferred verdict as soon as it arrives', async () => {
    const { slow, quick } = pauseNames();
    const query = gql`
      {
        domains(name: "x", tlds: ["example", "invalid"]) {
          id
          domain
          ... @defer {
            available
          }
        }
      }
    `;
    const verdicts: Record<string, unknown> = {};
    const subscription = apolloClient()
      .watchQuery<{ domains: readonly Row[] }>({ query })
      .subscribe(({ data }) => {
        for (const { domain, available } of data.domains ?? []) verdicts[domain] = available;
      });
    quick.release();
    await expect.poll(() => verdicts).toEqual({ 'x.example': undefined, 'x.invalid': false });
    slow.release();
    await expect.poll(() => verdicts).toEqual({ 'x.example': true, 'x.invalid': false });
    subscription.unsubscribe();
  });

  it('receives each row of a subscription as it arrives, and then its completion', async () => {
    const { slow, quick } = pauseNames();
    const rows: Row[] = [];
    const completed = new Promise<void>((complete, error) => {
      apolloClient()
        .subscribe<{ availability: Row }>({ query: search, variables: { name: 'x' } })
        .subscribe({ next: ({ data }) => data && rows.push(data.availability), error, complete });
    });
    quick.release();
    await expect.poll(() => rows).toMatchObject([{ domain: 'x.invalid', available: false }]);
    slow.release();
    await completed;
    expect(rows).toMatchObject([{ domain: 'x.invalid' }, { domain: 'x.example', available: true }]);
  });

  it('receives the problem code of a rejected subscription', async () => {
    await using metered = await startMeteredGateway();
    const { key } = await metered.newCustomer();
    const { url } = metered.gateway;
    expect(await firstEvent(apolloClient(url, { 'x-api-key': key }), 'a b')).toMatchObject({
      graphQLErrors: [{ extensions: { code: 'invalid_name' } }],
    });
    // With application/json, this version reports statuses other than 200 as network errors.
    expect(await firstEvent(apolloClient(url), 'x')).toMatchObject({
      statusCode: 401,
      result: { errors: [{ extensions: { code: 'missing_api_key' } }] },
    });
  });

  it('sends persisted queries by GET', async () => {
    const requests: string[] = [];
    const recorded: typeof fetch = (input, init) => {
      requests.push(init?.method ?? 'GET');
      return fetch(input, init);
    };
    const persisted = createPersistedQueryLink({
      sha256: (text: string) => hash('sha256', text),
      useGETForHashedQueries: true,
    });
    const http = new HttpLink({ uri: `${gateway.url}/graphql`, fetch: recorded });
    const client = new ApolloClient({ link: from([persisted, http]), cache: new InMemoryCache() });
    const query = gql`
      query Persisted($name: String!) {
        domain(name: $name) {
          id
          available
        }
      }
    `;
    for (const [name, available] of [
      ['taken.test', false],
      ['free.test', true],
    ]) {
      const { data } = await client.query<{ domain: Row }>({
        query,
        variables: { name },
        fetchPolicy: 'no-cache',
      });
      expect(data.domain.available).toBe(available);
    }
    expect(requests).toEqual(['GET', 'POST', 'GET']);
  });
});
