import { ApolloClient, CombinedGraphQLErrors, InMemoryCache, gql } from '@apollo/client';
import { GraphQL17Alpha9Handler } from '@apollo/client/incremental';
import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { html, notFound, registered } from '../support/bodies/replies.ts';
import { paused } from '../support/bodies/scripts.ts';
import { apolloClient } from './apollo.ts';
import { search } from './events.ts';
import { searchQuery, searchSubscription } from './typed.ts';
import { urqlClient } from './urql.ts';

let registry: FakeRegistry;
let gateway: Gateway;

beforeEach(async () => {
  registry = await forThisTest(startFakeRegistry);
  const registries = Object.fromEntries(
    ['example', 'invalid', 'one', 'two'].map((tld) => [tld, registry.baseUrl]),
  );
  gateway = await forThisTest(startGateway, { registries, env: { RDAP_CONCURRENCY: '2' } });
});

/** A row as shown by a page. `available` is undefined until the verdict has arrived. */
interface ShownRow {
  readonly domain: string;
  readonly available?: boolean | null;
}

interface Page {
  show(rows: readonly ShownRow[]): void;
  /** Receives a problem code. */
  fail(code: unknown): void;
}

/** Starts a search that passes rows to `page` as they arrive. Returns a function that stops it. */
type Search = (
  url: string,
  variables: { name: string; tlds: string[] },
  page: Page,
  apiKey?: string,
) => () => void;

const clients: Readonly<Record<string, Search>> = {
  'Apollo Client, with @defer': (url, variables, page, apiKey) =>
    watchWith(apolloClient(url, apiKey), variables, page),
  'Apollo Client, with @defer in the newer format': (url, variables, page, apiKey) => {
    const { link } = apolloClient(url, apiKey);
    // Its types do not support exactOptionalPropertyTypes.
    const incrementalHandler = new GraphQL17Alpha9Handler() as NonNullable<
      ApolloClient.Options['incrementalHandler']
    >;
    return watchWith(
      new ApolloClient({ link, cache: new InMemoryCache(), incrementalHandler }),
      variables,
      page,
    );
  },
  'Apollo Client, with a subscription': (url, variables, page, apiKey) => {
    const rows = apolloClient(url, apiKey).subscribe({ query: searchSubscription, variables });
    const subscription = rows.subscribe(({ data, error }) => {
      page.show(arrivedRows([data?.availability]));
      if (CombinedGraphQLErrors.is(error)) page.fail(error.errors[0]?.extensions?.['code']);
    });
    return () => subscription.unsubscribe();
  },
  'urql, with @defer': (url, variables, page, apiKey) =>
    urqlClient(url, apiKey)
      .query(searchQuery, variables)
      .subscribe(({ data, error }) => {
        page.show(arrivedRows(data?.domains));
        if (error) page.fail(error.graphQLErrors[0]?.extensions['code']);
      }).unsubscribe,
  'urql, with a subscription': (url, variables, page, apiKey) =>
    urqlClient(url, apiKey)
      .subscription(searchSubscription, variables)
      .subscribe(({ data, error }) => {
        page.show(arrivedRows([data?.availability]));
        if (error) page.fail(error.graphQLErrors[0]?.extensions['code']);
      }).unsubscribe,
  'graphql-sse': (url, variables, { show, fail }, apiKey) =>
    search(url, variables, { show: (row) => show([row]), fail }, apiKey),
};

function watchWith(
  client: ApolloClient,
  variables: { name: string; tlds: string[] },
  page: Page,
): () => void {
  const watched = client.watchQuery({ query: searchQuery, variables });
  const subscription = watched.subscribe(({ data, error }) => {
    page.show(arrivedRows(data?.domains));
    if (CombinedGraphQLErrors.is(error)) page.fail(error.errors[0]?.extensions?.['code']);
  });
  return () => subscription.unsubscribe();
}

/** Returns the rows that have arrived. */
function arrivedRows(
  rows: readonly (Partial<ShownRow> | null | undefined)[] | null | undefined,
): readonly ShownRow[] {
  return (rows ?? []).flatMap((row) =>
    row?.domain === undefined ? [] : [{ ...row, domain: row.domain }],
  );
}

describe.each(Object.entries(clients))('%s', (_name, searchWith) => {
  /** Starts a search and collects what a page would show. */
  function startSearch(
    tlds: string[],
    {
      url = gateway.url,
      name = 'x',
      apiKey,
    }: { url?: string; name?: string; apiKey?: string } = {},
  ) {
    const verdicts: Record<string, boolean | null | undefined> = {};
    const failures = new Set<unknown>();
    const page: Page = {
      show: (rows) => {
        for (const { domain, available } of rows) verdicts[domain] = available;
      },
      fail: (code) => void failures.add(code),
    };
    const stop = searchWith(`${url}/graphql`, { name, tlds }, page, apiKey);
    return {
      stop,
      soon: () => expect.poll(() => verdicts, { timeout: 15_000 }),
      failure: () => expect.poll(() => Array.from(failures), { timeout: 15_000 }),
    };
  }

  it('shows each verdict when its registry responds, without waiting for others', async () => {
    const [slow, quick] = [paused(notFound()), paused(registered('x.invalid'))];
    registry.on('x.example', slow);
    registry.on('x.invalid', quick);
    const { stop, soon } = startSearch(['example', 'invalid']);
    await registry.when(({ inFlight }) => inFlight === 2);
    quick.release();
    await soon().toMatchObject({ 'x.invalid': false });
    await soon().not.toHaveProperty(['x.example'], expect.anything());
    slow.release();
    await soon().toEqual({ 'x.example': true, 'x.invalid': false });
    stop();
  });

  it('receives all rows if a registry fails, including later ones', async () => {
    registry.on('x.example', html(404));
    const reply = paused(registered('x.invalid'));
    registry.on('x.invalid', reply);
    const { stop, soon, failure } = startSearch(['example', 'invalid', 'one']);
    await soon().toMatchObject({ 'x.example': null, 'x.one': true });
    reply.release();
    await soon().toEqual({ 'x.example': null, 'x.invalid': false, 'x.one': true });
    await failure().toEqual([]);
    stop();
  });

  it('sends its key, and reports the code of a rejected request', async () => {
    await using metered = await startMeteredGateway();
    const { url } = metered.gateway;
    const { key } = await metered.newCustomer({ credits: 10 });
    const { key: emptyKey } = await metered.newCustomer({ credits: 0 });
    await startSearch(['example'], { url, apiKey: key }).soon().toEqual({ 'x.example': true });
    await startSearch(['example'], { url }).failure().toEqual(['missing_api_key']);
    await startSearch(['example'], { url, apiKey: emptyKey })
      .failure()
      .toEqual(['insufficient_credits']);
    await startSearch(['example'], { url, apiKey: key, name: 'not a label' })
      .failure()
      .toEqual(['invalid_name']);
  });

  it('cancels the unsent lookups of a closed search', async () => {
    const reply = paused(notFound());
    registry.fallback(reply);
    const { stop } = startSearch(['example', 'invalid', 'one', 'two']);
    await registry.when(({ inFlight }) => inFlight === 2);
    stop();
    // After two more round trips, the gateway has noticed the disconnect.
    await gateway.get('/health');
    await gateway.get('/health');
    reply.release();
    // If lookups of the search were still queued, they would be sent before these.
    await gateway.graphql('{ domains(domains: ["later.example", "last.example"]) { available } }');
    expect(['x.example', 'x.invalid', 'x.one', 'x.two'].map(registry.requestCount)).toEqual([
      1, 1, 0, 0,
    ]);
  });
});

/** Returns the query of a view that shows part of a registration. */
const viewQuery = (selection: string) => gql`
  {
    domain(name: "x.example") {
      id
      rdap {
        id
        ${selection}
      }
    }
  }
`;

it('Apollo Client merges the fields that two views select of the same object', async () => {
  registry.on('x.example', registered('x.example'));
  const client = apolloClient(`${gateway.url}/graphql`);
  const listQuery = viewQuery('registrar { name } dnssec { signed }');
  await client.query({ query: listQuery });
  await client.query({ query: viewQuery('registrar { url } dnssec { dsRecords { digest } }') });
  const stored = client.readQuery<{ domain: { rdap: unknown } }>({ query: listQuery });
  expect(stored?.domain.rdap).toMatchObject({ registrar: {}, dnssec: {} });
});
