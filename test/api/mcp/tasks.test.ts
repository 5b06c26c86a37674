import { expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { connectMcp, type ToolResult } from '../../support/requests/mcp-client.ts';
import { html, registered } from '../../support/bodies/replies.ts';

const registry = await forThisFile(startFakeRegistry);
registry.on(/^(?:taken|nic)\./, ({ name }) => registered(name));
registry.on(/^html\./, html(404));
const served = ['com', 'dev', 'de', 'at', 'berlin', 'us', 'google', 'shop', 'store'];
const gateway = await forThisFile(startGateway, {
  registries: Object.fromEntries(served.map((tld) => [tld, registry.baseUrl])),
  env: { RATE_LIMIT: '0' },
});
const mcp = await forThisFile(connectMcp, gateway.url);

type Call = readonly [tool: string, args: Json];

/** A question to an agent, and how it finds the answer. */
interface Task {
  readonly question: string;
  /** Each call follows from the question, or from the text of the result before it. */
  readonly calls: readonly (Call | ((text: string) => Call))[];
  /** What a client reads that shows only texts to its model. */
  readonly text: RegExp;
  /** What a client reads that shows the structured content. */
  readonly structured: Json;
}

/** Returns what a pattern captures in the text of a result. */
const found = (pattern: RegExp, text: string): string => {
  const [, value] = pattern.exec(text) ?? [];
  expect(value, text).toBeDefined();
  return value ?? '';
};

const tasks: readonly Task[] = [
  {
    question: 'Is new-idea.com still available?',
    calls: [['check_domains', { names: ['new-idea.com'] }]],
    text: /^Available: new-idea\.com$/m,
    structured: { results: [{ available: true, confidence: 'authoritative' }] },
  },
  {
    question: 'Under which endings can we get "taken"? Try .com, .de and the sandbox.',
    calls: [['check_domains', { label: 'taken', tlds: ['com', 'de', '@test'] }]],
    text: /^0 of 6 names are available\.\nNot available: taken\.com, taken\.de, /,
    structured: { summary: { available: 0, registered: 6 } },
  },
  {
    question: 'Check "My startup!" under .com and .dev.',
    calls: [
      ['check_domains', { label: 'My startup!', tlds: ['com', 'dev'] }],
      (text) => {
        const label = found(/with label (\S+) and tlds/, text);
        return ['check_domains', { label, tlds: ['com', 'dev'] }];
      },
    ],
    text: /^Available: my-startup\.com, my-startup\.dev$/m,
    structured: { summary: { available: 2 } },
  },
  {
    question:
      'Who sold the name behind https://www.taken.com/offer?id=7, and until when is it paid?',
    calls: [
      ['lookup_domain', { name: 'https://www.taken.com/offer?id=7' }],
      (text) => ['lookup_domain', { name: found(/with the name (\S+)\.$/, text) }],
    ],
    text: /^Registration: (?=.*"expires_at":"2\d{3}-).*"registrar":\{"name":"/m,
    structured: { domain: 'taken.com', registration: { registrar: { name: expect.any(String) } } },
  },
  {
    question: 'Can I register shop.google?',
    calls: [['check_domains', { names: ['shop.google'] }]],
    text: /^Not available: shop\.google \(reserved\)\nbrand_tld: Only the brand /m,
    structured: { results: [{ available: false, status: 'reserved' }] },
  },
  {
    question: 'Is new-idea.us available, and may a company from France register it?',
    calls: [['check_domains', { names: ['new-idea.us'] }]],
    text: /^Available: new-idea\.us \(restricted_tld\)\nrestricted_tld: .* nexus with the United States/m,
    structured: { results: [{ available: true, cautions: [{ code: 'restricted_tld' }] }] },
  },
  {
    question:
      'Which endings of German-speaking countries are there, and can they prove availability?',
    calls: [['list_tlds', { search: 'German' }]],
    text: /^4 of 4 TLDs: de, ch, li, at$/m,
    structured: { tlds: [{ tld: 'de' }, {}, {}, { tld: 'at', proves_available: true }], total: 4 },
  },
  {
    question:
      'Which endings for shops are open to anyone and can prove availability? Check "shoes" there.',
    calls: [
      ['list_tlds', { open_to_anyone: true, proves_available: true, search: 'shops' }],
      (text) => {
        const tlds = found(/TLDs: (.*)$/m, text).split(', ');
        return ['check_domains', { label: 'shoes', tlds }];
      },
    ],
    text: /^Available: shoes\.store, shoes\.shop$/m,
    structured: { summary: { available: 2, unknown: 0 } },
  },
  {
    question: 'Are html.com and free.whois-only.test available? How sure is that?',
    calls: [['check_domains', { names: ['html.com', 'free.whois-only.test'] }]],
    text: /^Available: free\.whois-only\.test \(heuristic\)\nUnknown, .*: html\.com \(untrusted_answer\)$/m,
    structured: { results: [{ available: null }, { available: true, confidence: 'heuristic' }] },
  },
  {
    question: 'Who must act on abuse from the server of taken.test?',
    calls: [
      ['inspect_site', { site: 'taken.test', parts: ['dns'] }],
      (text) => ['lookup_object', { object: found(/"a":\["([\d.]+)"/, text) }],
    ],
    text: /"roles":\["abuse"\],"contact":\{.*?"email":"[^"]+@[^"]+"/,
    structured: { type: 'ip', found: true },
  },
  {
    question: 'May a crawler read taken.test/private/? Does the site have an llms.txt?',
    calls: [['inspect_site', { site: 'taken.test', parts: ['robots', 'signals'] }]],
    text: /"type":"disallow","path":"\/private\/".*\n.*"name":"llms_txt","status":"detected"/,
    structured: { robots: { access: 'rules' }, signals: { outcome: 'complete' } },
  },
  {
    question: 'Until when is the certificate of www.taken.test valid? Is its page up?',
    calls: [['inspect_site', { site: 'https://www.taken.test/', parts: ['tls', 'page'] }]],
    text: /"not_after":"2\d{3}-.*\npage .*"http_status":200/,
    structured: { tls: { trusted: true }, page: { fetch_state: 'ok' } },
  },
];

const textOf = ({ content }: ToolResult) => (content[0]?.type === 'text' ? content[0].text : '');

/** The tools that the tasks called. */
const called = new Set<string>();

it.each(tasks)('an agent answers "$question"', async ({ calls, text, structured }) => {
  expect(calls.length).toBeLessThanOrEqual(3);
  let last: ToolResult | undefined;
  for (const call of calls) {
    const [tool, args] = typeof call === 'function' ? call(last ? textOf(last) : '') : call;
    called.add(tool);
    last = await mcp.call(tool, args);
  }
  expect(last?.isError).not.toBe(true);
  expect(last && textOf(last)).toMatch(text);
  expect(last?.structuredContent).toMatchObject(structured);
});

it('are twelve tasks, which use each tool that looks something up', () => {
  expect(tasks).toHaveLength(12);
  expect(Array.from(called).toSorted()).toEqual(
    'check_domains inspect_site list_tlds lookup_domain lookup_object'.split(' '),
  );
});

it('finds what the answers rest on in the descriptions of the tools', async () => {
  const { tools } = await mcp.client.listTools();
  for (const { name, description } of tools) {
    if (name === 'account' || name === 'create_receipt') continue;
    expect(description, name).toMatch(/heuristic/);
    expect(description, name).toMatch(/brand/);
    expect(description, name).toMatch(/restricted/);
    expect(description, name).toMatch(/cached/);
  }
});
