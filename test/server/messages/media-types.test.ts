import { describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { problemExtensions } from '../../support/checks/problem-extensions.ts';

const registry = await forThisFile(startFakeRegistry);
const gateway = await forThisFile(startGateway, { registries: { example: registry.baseUrl } });

const plain = '{ domain(name: "free.example", maxAge: 0) { available } }';
const deferred = '{ domain(name: "free.example", maxAge: 0) { id ... @defer { available } } }';
const subscription =
  'subscription { availability(domains: ["free.example"], maxAge: 0) { available } }';
const json = 'application/json; charset=utf-8';
const graphqlJson = 'application/graphql-response+json; charset=utf-8';
const multipart = 'multipart/mixed; boundary="-"; deferSpec=20220824';
const multipartV02 = 'multipart/mixed; boundary="-"; incrementalSpec=v0.2';
const multipartSubscription = 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0';
const apollo4 = 'application/graphql-response+json,application/json;q=0.9';

const queries = {
  'a plain query': plain,
  'a deferred query': deferred,
  'a query whose @defer is off': deferred.replace('@defer', '@defer(if: false)'),
  'a query beside a deferred one': `query a ${plain} query b ${deferred}`,
  'a subscription': subscription,
};

/** The media types of responses, by kind of query and `Accept`. */
const accepted: Readonly<Record<keyof typeof queries, Readonly<Record<string, string>>>> = {
  'a plain query': {
    'application/json': json,
    'application/graphql-response+json': graphqlJson,
    'application/graphql-response+json, application/json;q=0.9': graphqlJson,
    'application/graphql-response+json;q=0.5, application/json': json,
    'multipart/mixed;deferSpec=20220824, application/json': json,
    '*/*': json,
    'text/event-stream': 'text/event-stream',
    [`multipart/mixed;boundary=graphql;subscriptionSpec=1.0,${apollo4}`]: graphqlJson,
  },
  'a deferred query': {
    'multipart/mixed;deferSpec=20220824, application/graphql-response+json, application/json':
      multipart,
    'multipart/mixed': multipart,
    'text/event-stream': 'text/event-stream',
    '*/*': multipart,
    [`multipart/mixed;incrementalSpec=v0.2,${apollo4}`]: multipartV02,
    'application/json, Multipart/Mixed; IncrementalSpec="v0.2"': multipartV02,
    'multipart/mixed;incrementalSpec=v0.3, application/json': multipart,
    'multipart/mixed, multipart/mixed;incrementalSpec=v0.2;q=0': multipart,
    'text/event-stream;incrementalSpec=v0.2': 'text/event-stream',
  },
  'a query whose @defer is off': { 'application/json': json },
  'a query beside a deferred one': { 'application/json': json },
  'a subscription': {
    'application/json, text/event-stream': 'text/event-stream',
    '*/*': 'text/event-stream',
    [`multipart/mixed;boundary=graphql;subscriptionSpec=1.0,${apollo4}`]: multipartSubscription,
    'multipart/mixed;boundary="graphql";subscriptionSpec="1.0"': multipartSubscription,
    'text/event-stream, multipart/mixed;subscriptionSpec=1.0': 'text/event-stream',
  },
};

const acceptedRows = Object.entries(queries).flatMap(([what, query]) =>
  Object.entries(accepted[what as keyof typeof queries]).map(([accept, contentType]) => ({
    what,
    query,
    accept,
    contentType,
  })),
);

describe('content negotiation of GraphQL', () => {
  it.each(acceptedRows)(
    'returns the preferred media type for $what with Accept $accept',
    async ({ query, accept, contentType }) => {
      const response = await gateway.post(
        '/graphql',
        { query, ...(query.includes('query b') && { operationName: 'a' }) },
        { accept },
      );
      expect([response.status, response.headers.get('content-type')]).toEqual([200, contentType]);
      expect(await response.text()).toContain('"available":true');
    },
  );

  it.each([
    ['a plain query', 'text/plain', plain],
    ['a plain query', 'multipart/mixed', plain],
    ['a plain query', 'application/json;q=0', plain],
    ['a plain query', 'application/json; q=0', plain],
    ['a deferred query', 'application/json', deferred],
    [
      'a deferred query in a fragment',
      'application/json',
      '{ domain(name: "free.example") { ...f @defer } } fragment f on Domain { available }',
    ],
    ['a subscription', 'application/json', subscription],
    ['a subscription', 'multipart/mixed', subscription],
    ['a subscription', 'multipart/mixed;deferSpec=20220824, application/json', subscription],
    ['a subscription', 'application/json;subscriptionSpec=1.0', subscription],
    ['a plain query', 'multipart/mixed;subscriptionSpec=1.0', plain],
    ['a document that does not parse', 'image/png', '{'],
  ])('rejects %s with Accept %s as JSON, without a lookup', async (_case, accept, query) => {
    const before = registry.requests.length;
    const response = await gateway.post('/graphql', { query }, { accept });
    expect([response.status, response.headers.get('content-type')]).toEqual([406, json]);
    const { errors } = await response.json();
    expect(errors).toMatchObject([{ extensions: problemExtensions('not_acceptable') }]);
    expect(registry.requests.length).toBe(before);
    const [, named = ''] = /\. Accept (.*)\.$/.exec(errors[0].message) ?? [];
    for (const type of named.split(/, | or /))
      expect([type, await statusFor(type, query)]).not.toEqual([type, 406]);
  });
});

async function statusFor(accept: string, query = '{ nope }'): Promise<number> {
  const response = await gateway.post('/graphql', { query }, { accept });
  await response.body?.cancel();
  return response.status;
}

describe('an invalid document', () => {
  it('is a 400 in the GraphQL media type, and a well-formed 200 in application/json', async () => {
    expect(await statusFor('application/graphql-response+json')).toBe(400);
    expect(await statusFor('application/json')).toBe(200);
  });

  it('is sent as an event to a client that accepts events', async () => {
    const response = await gateway.post(
      '/graphql',
      { query: '{ nope }' },
      { accept: 'text/event-stream' },
    );
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toMatch(
      /^event: next\ndata: \{"errors":\[.*invalid_query.*\]\}\n\nevent: complete\ndata:\n\n$/,
    );
  });
});

const getQuery = (parameters: Record<string, string>, init?: RequestInit) =>
  gateway.fetch(`/graphql?${new URLSearchParams(parameters).toString()}`, init);

describe('a GraphQL query in the URL', () => {
  it('is executed with its variables and operation name', async () => {
    const query = `query one($name: String!) { domain(name: $name) { available } } query two { __typename }`;
    const response = await getQuery({
      query,
      operationName: 'one',
      variables: '{"name":"free.example"}',
    });
    expect(await response.json()).toEqual({ data: { domain: { available: true } } });
  });

  it('gets the same headers with HEAD', async () => {
    const [full, head] = await Promise.all([
      getQuery({ query: plain }),
      getQuery({ query: plain }, { method: 'HEAD' }),
    ]);
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toEqual(json);
    expect(await head.text()).toBe('');
    expect(head.headers.get('content-length')).toBe(String((await full.text()).length));
  });

  it.each([
    ['no query', {}, 'query'],
    ['an empty query', { query: '' }, 'query'],
    ['variables that are not JSON', { query: '{ __typename }', variables: '{' }, 'variables'],
    [
      'variables that are not an object',
      { query: '{ __typename }', variables: '[1]' },
      'variables',
    ],
  ])(
    'is a 400 that names the parameter with %s',
    async (_case, parameters: Record<string, string>, param) => {
      const response = await getQuery(parameters);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        errors: [
          {
            message: expect.any(String),
            extensions: problemExtensions('invalid_query', { param }),
          },
        ],
      });
    },
  );
});
