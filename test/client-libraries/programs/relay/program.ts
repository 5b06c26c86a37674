import {
  createOperationDescriptor,
  Environment,
  fetchQuery,
  getRequest,
  getSingularSelector,
  Network,
  RecordSource,
  Store,
  type GraphQLResponse,
  type GraphQLTaggedNode,
  type OperationType,
} from 'relay-runtime';
import catalogueQuery, {
  type queriesCatalogueQuery,
} from './__generated__/queriesCatalogueQuery.graphql';
import rowFragment, {
  type queriesRow_domain$data,
  type queriesRow_domain$key,
} from './__generated__/queriesRow_domain.graphql';
import refetchQuery, {
  type queriesRowRefetchQuery,
} from './__generated__/queriesRowRefetchQuery.graphql';
import searchQuery, { type queriesSearchQuery } from './__generated__/queriesSearchQuery.graphql';
import pageQuery, {
  type queriesTldsPaginationQuery,
} from './__generated__/queriesTldsPaginationQuery.graphql';
import tldsFragment, {
  type queriesTlds_query$data,
  type queriesTlds_query$key,
} from './__generated__/queriesTlds_query.graphql';

const [, , url = ''] = process.argv;

const environment = new Environment({
  network: Network.create(async ({ text }, variables) => {
    const body = JSON.stringify({ query: text, variables });
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return (await response.json()) as GraphQLResponse;
  }),
  store: new Store(new RecordSource()),
});

async function run<Query extends OperationType>(
  query: GraphQLTaggedNode,
  variables: Query['variables'],
): Promise<Query['response']> {
  environment.retain(createOperationDescriptor(getRequest(query), variables));
  const data = await fetchQuery<Query>(environment, query, variables).toPromise();
  if (!data) throw new Error('The response has no data.');
  return data;
}

function readRow(key: queriesRow_domain$key): queriesRow_domain$data {
  return environment.lookup(getSingularSelector(rowFragment, key) as never)
    .data as unknown as queriesRow_domain$data;
}

function readTlds(key: queriesTlds_query$key): queriesTlds_query$data {
  return environment.lookup(getSingularSelector(tldsFragment, key) as never)
    .data as unknown as queriesTlds_query$data;
}

async function main(): Promise<void> {
  const search = await run<queriesSearchQuery>(searchQuery, { domains: process.argv.slice(3) });
  const domains = search.domains ?? [];
  const rows = domains.map(readRow);
  const refetched: unknown[] = [];
  for (const { id } of domains) {
    const { node } = await run<queriesRowRefetchQuery>(refetchQuery, { id });
    refetched.push(node && readRow(node).id);
  }
  const catalogue = await run<queriesCatalogueQuery>(catalogueQuery, {});
  const labels = (): readonly (string | undefined)[] =>
    readTlds(catalogue).tlds?.edges.map(({ node }) => node.label) ?? [];
  const pages = [labels()];
  await run<queriesTldsPaginationQuery>(pageQuery, { count: 3, cursor: pages[0]?.at(-1) ?? null });
  pages.push(labels());
  const records = environment.getStore().getSource().toJSON();
  console.log(
    JSON.stringify({
      rows,
      refetched,
      pages,
      tld: search.node,
      com: [records['invalid:com'], records['tld:com']],
    }),
  );
}

void main();
