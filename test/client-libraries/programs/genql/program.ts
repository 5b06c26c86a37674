import { createClient, type Domain, type ProblemCode } from './client';

const [, , url = '', ...domains] = process.argv;

async function main(): Promise<void> {
  const client = createClient({ url: `${url}/graphql` });
  const problem = { code: true, retryable: true } as const;
  const result = await client.query({
    domains: {
      __args: { domains },
      id: true,
      available: true,
      status: true,
      problem,
      rdap: { handle: true },
    },
    node: { __args: { id: domains[0] ?? '' }, id: true, on_Domain: { tld: true } },
  });
  const codes: readonly (ProblemCode | undefined)[] =
    result.domains?.map((row) => row.problem?.code) ?? [];
  const statuses: readonly Domain['status'][] = result.domains?.map(({ status }) => status) ?? [];
  console.log(JSON.stringify({ rows: result.domains, node: result.node, codes, statuses }));
}

void main();
