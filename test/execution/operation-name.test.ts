import { expect, it } from 'vitest';
import { startGateway } from '../support/gateways/gateway.ts';
import { problemExtensions } from '../support/checks/problem-extensions.ts';

it.each([
  { what: 'a name that is not in the query', query: 'query A { __typename }', operationName: 'B' },
  {
    what: 'several operations without a name',
    query: 'query A { __typename } query B { __typename }',
    operationName: undefined,
  },
])('rejects $what with a 400', async ({ query, operationName }) => {
  await using gateway = await startGateway();
  const response = await gateway.post(
    '/graphql',
    { query, operationName },
    { accept: 'application/graphql-response+json' },
  );
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    errors: [{ extensions: problemExtensions('invalid_query', { param: 'operationName' }) }],
  });
});
