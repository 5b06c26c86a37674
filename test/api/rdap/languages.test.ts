// cspell:ignore nicht vorhanden
import { expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { network } from '../../support/bodies/registry-objects.ts';
import { json, notFound, registered, type FakeRequest } from '../../support/bodies/replies.ts';

const registry = await forThisFile(startFakeRegistry);
const gateway = await forThisFile(startGateway, {
  registries: { aa: registry.baseUrl },
  objects: { ipv4: { '8.0.0.0/8': registry.baseUrl } },
});

const languageOf = ({ headers }: FakeRequest) => headers['accept-language']?.slice(0, 2) ?? 'en';
registry.on(/^taken/, (request) =>
  registered(request.name, { members: { lang: languageOf(request) } }),
);
registry.on(/^ip\//, (request) => network('8.8.8.0', '8.8.8.255', { lang: languageOf(request) }));

const get = (path: string, language?: string) =>
  gateway.fetch(path, language === undefined ? {} : { headers: { 'accept-language': language } });
const langOf = async (response: Promise<Response>): Promise<Json> =>
  (await (await response).json()).lang;
const sentTo = (name: string) =>
  registry.requests
    .filter((request) => request.name === name)
    .map(({ headers }) => headers['accept-language']);

it.each([
  ['taken-1.aa', '/rdap/domain/taken-1.aa'],
  ['ip/8.8.8.8', '/rdap/ip/8.8.8.8'],
])('relays %s in the language of the request, apart from the cache', async (name, path) => {
  const german = 'de-CH, de;q=0.9, en;q=0.5';
  expect(await langOf(get(path, 'en-US,en;q=0.9'))).toBe('en');
  expect(await langOf(get(path, german))).toBe('de');
  expect(await langOf(get(path, 'fr'))).toBe('fr');
  expect(await langOf(get(path))).toBe('en');
  expect(await langOf(get(path, '*'))).toBe('en');
  expect(sentTo(name)).toEqual([undefined, german, 'fr']);
  const both = await Promise.all([langOf(get(path, 'ja')), langOf(get(path, 'pt-BR'))]);
  expect(both).toEqual(['ja', 'pt']);
  const { headers } = await get(path, 'ja');
  expect(headers.get('vary')).toContain('Accept-Language');
});

it('reads what is no object without the language, so that it is understood', async () => {
  registry.on('free.aa', (request) =>
    notFound(languageOf(request) === 'en' ? 'No such domain.' : 'Domain nicht vorhanden.'),
  );
  expect((await get('/rdap/domain/free.aa', 'de')).status).toBe(404);
  expect(sentTo('free.aa')).toEqual(['de', undefined]);
  registry.on('limited.aa', json(429, { errorCode: 429 }));
  expect((await get('/rdap/domain/limited.aa', 'de')).status).toBe(503);
});

it.each(['de, \u0000', 'x'.repeat(200), 'de"', '', ';;'])(
  'ignores the languages %j',
  async (language) => {
    const name = `taken-${registry.requests.length}.aa`;
    const response = await get(`/rdap/domain/${name}`, language).catch(() => undefined);
    expect(response?.status ?? 200).toBe(200);
    expect(sentTo(name).filter((sent) => sent !== undefined)).toEqual([]);
  },
);
