import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { notFound } from '../../support/bodies/replies.ts';

/** The servers of `.example` and `.overridden` are listed, that of `.unlisted` is not. */

const registry = await forThisFile(startFakeRegistry);
const sources = await forThisFile(writeBootstrap, {
  suffixes: { '': { dns: null }, unlisted: { rdap: [registry.baseUrl] } },
});
const overrides = await forThisFile(writeBootstrap, {
  version: '1.0',
  services: [[['overridden', 'trusted'], [registry.baseUrl]]],
  trust404: ['trusted'],
});
const gateway = await forThisFile(startGateway, {
  registries: { example: registry.baseUrl },
  env: { SOURCES_FILE: sources.path, RDAP_OVERRIDES: overrides.path },
});

async function lookUp(path: string) {
  const response = await gateway.fetch(`/rdap/${path}`);
  const { notices } = (await response.json()) as {
    readonly notices: readonly { readonly description: readonly string[] }[];
  };
  return [response.status, notices.at(-1)?.description[0]];
}

describe('a 404 of a registry whose text says', () => {
  it.each([
    ['a rate limit', 'Rate limit exceeded.'],
    ['a blocked caller', 'Your IP address is blocked.'],
    ['denied access', 'Access denied.'],
    ['an unsupported lookup', 'Nameserver lookups are not supported.'],
    ['a lookup that is not implemented', 'Unimplemented.'],
    ['maintenance', 'The service is under maintenance.'],
    ['an unavailable service', 'The database is temporarily unavailable.'],
  ])('%s does not prove that an object does not exist', async (what, text) => {
    const path = `nameserver/${what.replaceAll(' ', '-')}.dns.example`;
    registry.on(path, notFound(text, 'Error'));
    expect(await lookUp(path)).toEqual([502, 'untrusted_answer']);
  });

  // As worded by regional registries.
  it.each([
    ['ENTITY NOT FOUND', "The entity you are seeking as 'NS1' is/are not here."],
    ['Not Found', 'The syntax used for this request is invalid for this particular server.'],
    ['nameservers not found', ''],
  ])('%s proves it', async (title, text) => {
    const path = `nameserver/${title.toLowerCase().replaceAll(' ', '-')}.dns.example`;
    registry.on(path, notFound(text, title));
    expect(await lookUp(path)).toEqual([404, 'not_found']);
  });
});

it.each([
  ['that the bootstrap document lists', 'example', 404, 'not_found'],
  ['that the bootstrap document does not list', 'unlisted', 502, 'untrusted_answer'],
  ['of an override', 'overridden', 502, 'untrusted_answer'],
  ['of an override with trust404', 'trusted', 404, 'not_found'],
])('a 404 of a server %s', async (_what, tld, status, code) => {
  expect(await lookUp(`nameserver/ns1.dns.${tld}`)).toEqual([status, code]);
});
