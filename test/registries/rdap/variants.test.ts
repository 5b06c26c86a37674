import { expect, it } from 'vitest';
import { domainObject } from '../../support/bodies/domain-object.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { json, registered } from '../../support/bodies/replies.ts';

const registry = await forThisFile(startFakeRegistry);
const gateway = await forThisFile(startGateway, { registries: { aa: registry.baseUrl } });

const variantsOf = (name: string, ...relation: readonly string[]) => [
  { relation, idnTable: '.AA Latin', variantNames: [{ ldhName: name.toUpperCase() }] },
];
const statusOf = async (name: string) =>
  (await gateway.get(`/v1/status?domain=${name}`)).results[0];

it.each([
  ['registered', 'registered', false],
  ['conjoined', 'registered', false],
  ['unregistered', 'reserved', false],
  ['registration restricted', 'reserved', false],
  ['open registration', 'unknown', null],
])('reports a variant that is "%s" as %s', async (relation, status, available) => {
  const name = `${relation.replace(' ', '-')}.aa`;
  const members = { variants: variantsOf(name, relation) };
  registry.on(name, json(200, domainObject('main.aa', { members })));
  expect(await statusOf(name)).toMatchObject({ status, available });
});

it('does not take the object of another name for one of a variant', async () => {
  const members = { variants: variantsOf('third.aa', 'registered') };
  registry.on('other.aa', json(200, domainObject('main.aa', { members })));
  expect(await statusOf('other.aa')).toMatchObject({ status: 'unknown', available: null });
});

it('returns variants, keys, the life of signatures and times to live', async () => {
  const keyData = { flags: 257, protocol: '3', algorithm: 13, publicKey: 'aW52\nZW50ZWQ=' };
  const invalid = [
    { ...keyData, flags: 65_536 },
    { ...keyData, publicKey: 'not base64!' },
  ];
  const secureDNS = { delegationSigned: true, maxSigLife: 604_800, keyData: [keyData, ...invalid] };
  const lists = [{ types: ['NS', 'ds'], value: 3600 }];
  const members = { variants: variantsOf('second.aa', 'Registered'), secureDNS, ttl0_data: lists };
  registry.on('first.aa', registered('first.aa', { members }));
  registry.on('map.aa', registered('map.aa', { members: { ttl0_data: { NS: { value: 60 } } } }));
  const fields =
    'variants { relation idnTable variantNames { ldhName unicodeName } } registration { dnssec { keys { flags protocol algorithm publicKey } maxSigLife } ttls { type value } }';
  const { data } = await gateway.graphql(
    `{ first: domain(name: "first.aa") { ${fields} } map: domain(name: "map.aa") { ${fields} }
       free: domain(name: "free.aa") { variants { relation } } }`,
  );
  const variant = {
    relation: ['registered'],
    idnTable: '.AA Latin',
    variantNames: [{ ldhName: 'second.aa', unicodeName: null }],
  };
  const key = { flags: 257, protocol: 3, algorithm: 13, publicKey: 'aW52ZW50ZWQ=' };
  expect(data.first).toEqual({
    variants: [variant],
    registration: {
      dnssec: { keys: [key], maxSigLife: 604_800 },
      ttls: [
        { type: 'NS', value: 3600 },
        { type: 'DS', value: 3600 },
      ],
    },
  });
  expect(data.map).toEqual({
    variants: [],
    registration: { dnssec: { keys: [], maxSigLife: null }, ttls: [{ type: 'NS', value: 60 }] },
  });
  expect(data.free.variants).toBeNull();
});
