import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { prices } from '../../../../src/execution/charging/prices.ts';
import { forThisFile } from '../../../support/for-this-file.ts';
import { startMeteredGateway } from '../../../support/gateways/metered-gateway.ts';
import { startFakeRegistry } from '../../../support/servers/fake-registry.ts';
import { startGateway } from '../../../support/gateways/gateway.ts';
import { registered, status } from '../../../support/bodies/replies.ts';
import { projectFolder } from '../../../support/package/run.ts';

const registry = await forThisFile(startFakeRegistry);
registry.on(/^(?:nic|taken)\./, ({ name }) => registered(name));
registry.on('down.com', status(500));
const gateway = await forThisFile(startGateway, { registries: { com: registry.baseUrl } });

/** Returns the samples of a response in the text format of Prometheus. */
async function samplesOf(response: Response): Promise<Record<string, number>> {
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const lines = (await response.text()).split('\n').filter((line) => line && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = line, value] = /^(\w+(?:\{[^}]*\})?) (\S+)$/.exec(line) ?? [];
      return [name, Number(value)];
    }),
  );
}

describe('GET /probe', () => {
  it('returns the state of a registered name as metrics', async () => {
    expect(await samplesOf(await gateway.fetch('/probe?target=taken.test'))).toEqual({
      probe_success: 1,
      probe_duration_seconds: expect.any(Number),
      'rdap_domain_verdict{verdict="registered"}': 1,
      rdap_domain_registered: 1,
      'rdap_domain_status{status="client delete prohibited"}': 1,
      'rdap_domain_status{status="client transfer prohibited"}': 1,
      rdap_domain_expiry_timestamp_seconds: expect.any(Number),
      rdap_domain_answer_age_seconds: expect.any(Number),
    });
  });

  it('escapes what a registry sends as a status', async () => {
    registry.on('taken-odd.com', ({ name }) =>
      registered(name, { statuses: ['a\u0007"b\\c\n}x 1\nd'] }),
    );
    const text = await (await gateway.fetch('/probe?target=taken-odd.com')).text();
    const labels = text.split('\n').filter((line) => line.startsWith('rdap_domain_status{'));
    expect(labels.join('')).toContain('}x 1');
    for (const label of labels)
      expect(label).toMatch(/^rdap_domain_status\{status="(?:[^"\\\p{Cc}]|\\["\\])*"\} 1$/u);
    expect(text).not.toMatch(/^[^#\w]|^x 1$|^d/m);
  });

  it('says that a name is not registered', async () => {
    const samples = await samplesOf(await gateway.fetch('/probe?target=free.com'));
    expect(samples).toMatchObject({ probe_success: 1, rdap_domain_registered: 0 });
    expect(samples).not.toHaveProperty('rdap_domain_expiry_timestamp_seconds');
    const reserved = await samplesOf(await gateway.fetch('/probe?target=reserved.test'));
    expect(reserved).toMatchObject({ rdap_domain_registered: 0 });
  });

  it('reports a failed lookup without claiming anything about the name', async () => {
    const samples = await samplesOf(await gateway.fetch('/probe?target=down.com'));
    expect(samples).toMatchObject({
      probe_success: 0,
      'rdap_domain_verdict{verdict="unknown"}': 1,
    });
    expect(samples).not.toHaveProperty('rdap_domain_registered');
  });

  it('accepts the maximum age of an answer', async () => {
    await gateway.fetch('/probe?target=taken.com&max_age=0');
    const before = registry.requestCount('taken.com');
    await gateway.fetch('/probe?target=taken.com&max_age=60');
    expect(registry.requestCount('taken.com')).toBe(before);
    await gateway.fetch('/probe?target=taken.com&max_age=0');
    expect(registry.requestCount('taken.com')).toBe(before + 1);
  });

  it.each([
    ['', 'missing_parameter', 'target'],
    ['?target=', 'missing_parameter', 'target'],
    ['?target=www.taken.com', 'invalid_name', 'target'],
    ['?target=taken.com&max_age=x', 'invalid_max_age', 'max_age'],
  ])('rejects %j', async (query, code, param) => {
    const response = await gateway.fetch(`/probe${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code, param });
  });

  it('costs as much as a record', async () => {
    await using metered = await startMeteredGateway();
    const customer = await metered.newCustomer();
    const response = await customer.fetch('/probe?target=taken.example');
    expect(response.headers.get('x-credits-charged')).toBe(String(prices.record(1)));
    expect((await metered.gateway.fetch('/probe?target=taken.example')).status).toBe(401);
  });
});

describe('the guide', () => {
  const guide = readFileSync(join(projectFolder, 'docs/reference/probe.md'), 'utf8');
  const documents = [...guide.matchAll(/```yaml\n(.*?)```/gs)].flatMap(([, text = '']) =>
    parseAllDocuments(text),
  );

  it('has YAML that parses, and PromQL expressions over metrics that exist', async () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    const known = Object.keys(await samplesOf(await gateway.fetch('/probe?target=taken.test'))).map(
      (name) => name.replace(/\{.*/, ''),
    );
    // Only names in `EXPIRY_FILE` have it.
    known.push('rdap_domain_operator_expiry_timestamp_seconds');
    const expressions = documents
      .flatMap((document) => document.toJS().groups ?? [])
      .flatMap(({ rules }) => rules.map(({ expr }: { expr: string }) => expr));
    expect(expressions.length).toBeGreaterThan(2);
    for (const expression of expressions) {
      let invalid = false;
      parser.parse(expression).iterate({ enter: ({ type }) => void (invalid ||= type.isError) });
      expect([expression, invalid]).toEqual([expression, false]);
      const metrics: readonly string[] = expression.match(/\b(?:rdap_domain|probe)_\w+/g) ?? [];
      expect(metrics.filter((metric) => !known.includes(metric))).toEqual([]);
    }
  });
});
