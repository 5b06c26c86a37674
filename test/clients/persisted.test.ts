import { hash } from 'node:crypto';
import {
  ApolloClient,
  ApolloLink,
  gql as apolloGql,
  HttpLink,
  InMemoryCache,
} from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { cacheExchange, Client, fetchExchange, gql } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { describe, expect, it } from 'vitest';
import { print } from 'graphql';
import { readTrustedDocuments } from '../../src/api/graphql/read-trusted-documents.ts';
import { schema } from '../../src/app/schema.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';

const gateway = await forThisFile(startGateway);

const sha256 = (text: string) => hash('sha256', text);

/** Returns a `fetch` that records whether each request contained the query or only its hash. */
function recordedFetch() {
  const requests: string[] = [];
  const record: typeof fetch = (input, init) => {
    const { method, url } = new Request(input, init);
    const sent =
      method === 'GET'
        ? Object.fromEntries(new URL(url).searchParams)
        : JSON.parse(String(init?.body));
    requests.push(`${method} ${'query' in sent ? 'query' : 'hash'}`);
    return fetch(input, init);
  };
  return { requests, fetch: record };
}

describe('Apollo Client with persisted queries', () => {
  it('sends the hash by GET, and the query once by POST', async () => {
    const recorded = recordedFetch();
    const persisted = new PersistedQueryLink({ sha256, useGETForHashedQueries: true });
    const http = new HttpLink({ uri: `${gateway.url}/graphql`, fetch: recorded.fetch });
    const client = new ApolloClient({
      link: ApolloLink.from([persisted, http]),
      cache: new InMemoryCache(),
    });
    const query = apolloGql`query ApolloPersisted($name: String!) { domain(name: $name) { id available } }`;
    for (const [name, available] of [
      ['taken.test', false],
      ['free.test', true],
      ['taken.shop.test', false],
    ]) {
      const { data } = await client.query<{ domain: { available: boolean } }>({
        query,
        variables: { name },
        fetchPolicy: 'no-cache',
      });
      expect(data?.domain.available).toBe(available);
    }
    expect(recorded.requests).toEqual(['GET hash', 'POST query', 'GET hash', 'GET hash']);
  });

  it('subscribes by hash', async () => {
    const recorded = recordedFetch();
    const http = new HttpLink({ uri: `${gateway.url}/graphql`, fetch: recorded.fetch });
    const client = new ApolloClient({
      link: ApolloLink.from([new PersistedQueryLink({ sha256 }), http]),
      cache: new InMemoryCache(),
    });
    const query = apolloGql`subscription ApolloPersisted { availability(domains: ["taken.test"]) { domain } }`;
    for (let times = 0; times < 2; times += 1) {
      const rows: unknown[] = [];
      await new Promise<void>((complete, error) => {
        client
          .subscribe({ query })
          .subscribe({ next: ({ data }) => rows.push(data), error, complete });
      });
      expect(rows).toMatchObject([{ availability: { domain: 'taken.test' } }]);
    }
    expect(recorded.requests).toEqual(['POST hash', 'POST query', 'POST hash']);
  });
});

describe('urql', () => {
  const query = gql`
    query Urql($name: String!) {
      domain(name: $name) {
        available
      }
    }
  `;

  it('sends queries by GET with preferGetMethod', async () => {
    const recorded = recordedFetch();
    const client = new Client({
      url: `${gateway.url}/graphql`,
      exchanges: [cacheExchange, fetchExchange],
      preferGetMethod: true,
      fetch: recorded.fetch,
    });
    const { data, error } = await client.query(query, { name: 'taken.test' });
    expect(data).toEqual({ domain: { __typename: 'Domain', available: false } });
    expect(error).toBeUndefined();
    expect(recorded.requests).toEqual(['GET query']);
  });

  it.each([
    { preferGetForPersistedQueries: true, requests: ['GET hash', 'GET query', 'GET hash'] },
    { preferGetForPersistedQueries: false, requests: ['POST hash', 'POST query', 'POST hash'] },
  ])(
    'sends persisted queries with preferGetForPersistedQueries: $preferGetForPersistedQueries',
    async ({ requests, ...options }) => {
      const recorded = recordedFetch();
      const client = new Client({
        url: `${gateway.url}/graphql`,
        exchanges: [persistedExchange(options), fetchExchange],
        preferGetMethod: false,
        fetch: recorded.fetch,
      });
      const document = `query Urql${requests[0]?.replace(' ', '')}($name: String!) { domain(name: $name) { available } }`;
      for (const [name, available] of [
        ['taken.test', false],
        ['free.test', true],
      ]) {
        const { data, error } = await client.query(document, { name }).toPromise();
        expect([data, error]).toEqual([{ domain: { available } }, undefined]);
      }
      expect(recorded.requests).toEqual(requests);
    },
  );
});

/** Starts a gateway with a key that is limited to a manifest. */
async function startLimited(manifest: object) {
  const metered = await startMeteredGateway();
  const documents = readTrustedDocuments(JSON.stringify(manifest), schema);
  const { key } = await metered.newCustomer({ documents });
  return { metered, key, url: `${metered.gateway.url}/graphql` };
}

describe('a key that is limited to the documents of a manifest', () => {
  const document = apolloGql`query Trusted($name: String!) { domain(name: $name) { id available } }`;
  const variables = { name: 'taken.test' };

  it('works with Apollo Client, which sends only identifiers', async () => {
    const body = print(new InMemoryCache().transformDocument(document));
    const operation = { id: sha256(body), name: 'Trusted', type: 'query', body };
    const { metered, key, url } = await startLimited({
      format: 'apollo-persisted-query-manifest',
      version: 1,
      operations: [operation],
    });
    await using _ = metered;
    const recorded = recordedFetch();
    const http = new HttpLink({ uri: url, fetch: recorded.fetch, headers: { 'x-api-key': key } });
    const generateHash = () => operation.id;
    const link = ApolloLink.from([new PersistedQueryLink({ generateHash }), http]);
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const { data } = await client.query({ query: document, variables });
    expect(data).toMatchObject({ domain: { available: false } });
    expect(recorded.requests).toEqual(['POST hash']);
    const plain = new ApolloClient({ link: http, cache: new InMemoryCache() });
    expect((await plain.query({ query: document, variables })).data).toEqual(data);
    const other = apolloGql`query Other { account { name } }`;
    await expect(plain.query({ query: other })).rejects.toThrow('limited to listed documents');
  });

  it('works with urql and identifiers that are not SHA-256 hashes', async () => {
    const text =
      'query Trusted($name: String!) { domain(name: $name) { id available __typename } }';
    const { metered, key, url } = await startLimited({ 'sha1-of-trusted': text });
    await using _ = metered;
    const recorded = recordedFetch();
    const client = new Client({
      url,
      fetch: recorded.fetch,
      fetchOptions: { headers: { 'x-api-key': key } },
      preferGetMethod: false,
      exchanges: [
        persistedExchange({
          enforcePersistedQueries: true,
          preferGetForPersistedQueries: false,
          generateHash: async () => 'sha1-of-trusted',
        }),
        fetchExchange,
      ],
    });
    const { data } = await client.query(gql(text), variables);
    expect(data).toMatchObject({ domain: { available: false } });
    expect(recorded.requests).toEqual(['POST hash']);
  });
});
