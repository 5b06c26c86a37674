import { expect, it } from 'vitest';
import { domainObject } from '../support/bodies/domain-object.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { network } from '../support/bodies/registry-objects.ts';
import { html, json, notFound, registered, status, type Reply } from '../support/bodies/replies.ts';

const registry = await forThisFile(startFakeRegistry);
const gateway = await forThisFile(startGateway, {
  registries: { aa: registry.baseUrl },
  objects: { ipv4: { '8.0.0.0/8': registry.baseUrl } },
});

const select = 'evidence { findings { code path detail } }';
const brief = (findings: Json): readonly string[] =>
  findings.map(({ code, path }: Json) => `${code} ${path}`.trim());

/** Returns the findings of an answer for a new name, which are the same in GraphQL and REST. */
async function findingsOf(reply: (name: string) => Reply): Promise<readonly string[]> {
  const name = `name-${registry.requests.length}.aa`;
  registry.on(name, reply(name));
  const { data } = await gateway.graphql(
    `{ domain(name: "${name}") { status rdap { raw } ${select} } }`,
  );
  const { findings } = data.domain.evidence;
  const { results } = await gateway.get(`/v1/status?domain=${name}&evidence=true`);
  // Without its record, an answer of the cache has no object.
  expect(findings).toEqual(expect.arrayContaining(results[0].evidence.findings));
  return brief(findings);
}
const object = (members: Json) => (name: string) => registered(name, { members });

it.each<[string, (name: string) => Reply, readonly string[]]>([
  ['conforms', (name) => registered(name), []],
  ['is not found', () => notFound(), []],
  ['has no conformance', object({ rdapConformance: undefined }), ['missing rdapConformance']],
  ['has another conformance', object({ rdapConformance: ['x'] }), ['value rdapConformance']],
  ['is HTML', () => html(404), ['media_type']],
  [
    'has another media type',
    (name) =>
      status(200, { 'content-type': 'application/json' }, JSON.stringify(domainObject(name))),
    ['media_type'],
  ],
  [
    'has members of other types',
    object({
      status: 'active',
      handle: 5,
      port43: null,
      secureDNS: { delegationSigned: 'true', dsData: [{ keyTag: '1' }] },
      events: [{ eventAction: 'registration', eventDate: '2020-01-01' }, 'x'],
      country: 'NLD',
    }),
    [
      'type status',
      'type handle',
      'type port43',
      'type secureDNS.delegationSigned',
      'type secureDNS.dsData[0].keyTag',
      'value events[0].eventDate',
      'type events[1]',
      'value country',
    ],
  ],
  [
    'has entities without a class and other spellings',
    object({
      secureDns: {},
      entities: [{ roles: ['registrant'] }, { objectClassName: 'domain', roles: 'technical' }],
    }),
    [
      'spelling secureDns',
      'missing entities[0].objectClassName',
      'value entities[1].objectClassName',
      'type entities[1].roles',
    ],
  ],
  ['has extensions', object({ x_1: { handle: 5 }, redacted: [{ name: { type: 'X' } }] }), []],
])('an answer that %s', async (_what, reply, expected) => {
  expect((await findingsOf(reply)).toSorted()).toEqual(expected.toSorted());
});

it('lists findings of other objects, at most 50, also from the cache', async () => {
  const entities = Array.from({ length: 60 }, () => ({ roles: ['abuse'] }));
  registry.on('ip/8.8.8.8', network('8.8.8.0', '8.8.8.255', { entities }));
  registry.on('ip/8.8.9.9', json(200, []));
  const query = `{ ip(address: "8.8.8.8") { found ${select} } failed: ip(address: "8.8.9.9") { found ${select} } }`;
  for (const { data } of [await gateway.graphql(query), await gateway.graphql(query)]) {
    expect(data.ip.found).toBe(true);
    expect(data.ip.evidence.findings).toHaveLength(50);
    expect(data.failed).toEqual({ found: null, evidence: { findings: [] } });
  }
});
