import { expect, it } from 'vitest';
import { startGateway } from '../../../support/gateway.ts';

it.each([
  {
    what: 'a name that the query does not hold',
    query: 'query A { __typename }',
    operationName: 'B',
  },
  {
    what: 'several operations and no name',
    query: 'query A { __typename } query B { __typename }',
    operationName: undefined,
  },
])('refuses $what as the client’s mistake', async ({ query, operationName }) => {
  await using gateway = await startGateway();
  const answer = await gateway.post(
    '/graphql',
    { query, operationName },
    { accept: 'application/graphql-response+json' },
  );
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    errors: [{ extensions: { code: 'invalid_query', param: 'operationName' } }],
  });
});
