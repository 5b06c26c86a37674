import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import {
  graphqlRequests,
  mcpRequests,
  restRequests,
  type LongRequests,
} from '../support/bodies/long-arguments.ts';
import { toolCall } from '../support/requests/mcp-messages.ts';

// The bodies and targets are as long as the limits allow. A text that is read again for each TLD
// takes 40 s of processor time, any other one less than 0.2 s.
const maxSeconds = 1;

const gateway = await forThisFile(startGateway, { env: { RATE_LIMIT: '0', RDAP_RATE: '0' } });
await gateway.get('/v1/email/blacklist?limit=1'); // loads the list

/** Sends requests one at a time. Returns those that take too much processor time, or fail. */
async function expensiveOf(requests: LongRequests) {
  const expensive: unknown[] = [];
  for (const [what, send] of requests) {
    const before = process.cpuUsage();
    const response = await send();
    await response.text();
    const { user, system } = process.cpuUsage(before);
    const seconds = (user + system) / 1e6;
    if (seconds > maxSeconds || response.status === 500)
      expensive.push([what, response.status, seconds]);
  }
  return expensive;
}

describe('a long argument', { timeout: 120_000 }, () => {
  it('takes little processor time with all aliases: GraphQL', async () => {
    expect(await expensiveOf(graphqlRequests(gateway))).toEqual([]);
  });

  it('takes little processor time: REST and RDAP', async () => {
    expect(await expensiveOf(restRequests(gateway))).toEqual([]);
  });

  it('takes little processor time: MCP', async () => {
    const requests = await mcpRequests(gateway);
    expect(requests.length).toBeGreaterThan(50);
    expect(await expensiveOf(requests)).toEqual([]);
  });
});

it.each(['/v1/email/blacklist?limit=1&email=', '/docs/?q=', '/v1/status?domain='])(
  'a long text of the target is in no header of the response: %s',
  async (target) => {
    // The client accepts 16 KiB, and encoding makes `~` three times as long.
    const { status, headers } = await gateway.fetch(`${target}${'~'.repeat(14_000)}`);
    expect(status).toBeLessThan(500);
    expect([...headers].join('').length).toBeLessThan(2000);
  },
);

it('a text to search TLDs for has at most 100 characters', async () => {
  const query = 'query ($v: String) { tlds(search: $v) { totalCount } }';
  const { errors } = await gateway.graphql(query, { v: 'a'.repeat(101) });
  const call = toolCall('list_tlds', { search: 'a'.repeat(101) });
  const { result } = await (await gateway.fetch('/mcp', call)).json();
  const problem = { code: 'invalid_parameter', param: 'search' };
  expect([errors[0].extensions, JSON.stringify(result)]).toEqual([
    expect.objectContaining(problem),
    expect.stringContaining('search must have at most 100 characters'),
  ]);
  const allowed = await gateway.graphql(query, { v: 'a'.repeat(100) });
  expect(allowed).toEqual({ data: { tlds: { totalCount: 0 } } });
});

it('a link to the next page keeps the parameters of the list', async () => {
  const target = '/v1/email/blacklist?email=x&limit=2&format=txt';
  const { headers } = await gateway.fetch(target);
  expect(headers.get('link')).toMatch(/^<\?cursor=\w+&limit=2&format=txt>; rel="next"$/);
});
