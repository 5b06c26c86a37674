import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { html, notFound, registered } from '../support/replies.ts';
import { held } from '../support/scripts.ts';
import { apolloClient } from './apollo.ts';
import { search } from './events.ts';
import { searchQuery, searchSubscription } from './typed.ts';
import { urqlClient } from './urql.ts';

let registry: FakeRegistry;
let gateway: Gateway;

beforeEach(async () => {
  registry = await startFakeRegistry();
  const registries = Object.fromEntries(['example', 'invalid', 'one', 'two'].map((tld) => [tld, registry.baseUrl]));
  gateway = await startGateway({ registries, env: { RDAP_CONCURRENCY: '2' } });
});

afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
});

/** A row as a client shows it; `undefined` where the verdict has not come yet. */
interface Shown {
  readonly domain: string;
  readonly available?: boolean | null;
}

/** Searches, calls back with rows as they come, and returns what ends the search. */
type Search = (url: string, variables: { name: string; tlds: string[] }, show: (rows: readonly Shown[]) => void) => () => void;

const clients: Readonly<Record<string, Search>> = {
  'Apollo Client, with @defer': (url, variables, show) => {
    const watched = apolloClient(url).watchQuery({ query: searchQuery, variables, errorPolicy: 'all' });
    const subscription = watched.subscribe(({ data }) => show(shown(data?.domains)));
    return () => subscription.unsubscribe();
  },
  'Apollo Client, with a subscription': (url, variables, show) => {
    const rows = apolloClient(url).subscribe({ query: searchSubscription, variables });
    const subscription = rows.subscribe(({ data }) => show(shown([data?.availability])));
    return () => subscription.unsubscribe();
  },
  'urql, with @defer': (url, variables, show) =>
    urqlClient(url)
      .query(searchQuery, variables)
      .subscribe(({ data }) => show(shown(data?.domains))).unsubscribe,
  'urql, with a subscription': (url, variables, show) =>
    urqlClient(url)
      .subscription(searchSubscription, variables)
      .subscribe(({ data }) => show(shown([data?.availability]))).unsubscribe,
  'graphql-sse': (url, variables, show) => search(url, variables, (row) => show([row])),
};

/** Rows as they are, those left out that have not come. */
function shown(rows: readonly (Partial<Shown> | null | undefined)[] | null | undefined): readonly Shown[] {
  return (rows ?? []).flatMap((row) => (row?.domain === undefined ? [] : [{ ...row, domain: row.domain }]));
}

describe.each(Object.entries(clients))('%s', (_name, searchWith) => {
  /** What a page would show, after all that has come so far. */
  function startSearch(tlds: string[]) {
    const verdicts: Record<string, boolean | null | undefined> = {};
    const stop = searchWith(`${gateway.url}/graphql`, { name: 'x', tlds }, (rows) => {
      for (const { domain, available } of rows) verdicts[domain] = available;
    });
    return { stop, soon: () => expect.poll(() => verdicts, { timeout: 15_000 }) };
  }

  it('shows each verdict as its registry gives it, and waits for no other', async () => {
    const [slow, quick] = [held(notFound()), held(registered('x.invalid'))];
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

  it('keeps what is known when a registry fails', async () => {
    registry.on('x.example', html(404));
    const { stop, soon } = startSearch(['example', 'invalid']);
    await soon().toEqual({ 'x.example': null, 'x.invalid': true });
    stop();
  });

  it('takes along what is not sent yet when the search is closed', async () => {
    const reply = held(notFound());
    registry.fallback(reply);
    const { stop } = startSearch(['example', 'invalid', 'one', 'two']);
    await registry.when(({ inFlight }) => inFlight === 2);
    stop();
    // Two round trips after its leaving, the gateway has seen it.
    await gateway.get('/health');
    await gateway.get('/health');
    reply.release();
    // Whoever comes later stands behind what still waits.
    await gateway.graphql('{ domains(domains: ["later.example", "last.example"]) { available } }');
    expect(['x.example', 'x.invalid', 'x.one', 'x.two'].map(registry.asked)).toEqual([1, 1, 0, 0]);
  });
});
