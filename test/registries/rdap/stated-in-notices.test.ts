// cspell:disable (texts of servers)
import { describe, expect, it } from 'vitest';
import { parseDomainName } from '../../../src/domain/names/domain-name.ts';
import type { Json } from '../../../src/domain/registration.ts';
import { classifyNotFoundText } from '../../../src/registries/rdap/not-found-text.ts';

const name = parseDomainName('foo.example');

function meaningWith(members: Record<string, Json>, queried = name) {
  return classifyNotFoundText(
    { errorCode: 404, title: 'Not Found', description: ['foo.example not found'], ...members },
    queried,
  );
}

const boilerplate = { title: 'Terms of Use', description: ['Reserved names are not listed here.'] };

describe('the notices of a 404', () => {
  it.each<[string, ...Json[]]>([
    ['', 'This domain is already registered'],
    ['Sunrise only'],
    ['Notice', 'Sunrise. See our launch plan.'],
    ['Reservation'],
    ['Block-listed'],
    ['', 'Restricted: only for members'],
    ['', 'Registered through another registrar'],
    ['', 'The label foo is reserved'],
    ['', 'The label "foo" is reserved.'],
    ['', "The requested name's registration is restricted"],
    ['Status', 'foo.example is registered.'],
    ['Terms of Use', 'This name is reserved.'],
    ['Terms of Use', 'All rights reserved. This domain has been blocked by its registry.'],
    ['Notice', 'The domain is on hold.'],
    ['Notice', 'Premium name'],
    ['Notice', 'This name is available only to members.'],
    ['Notice', 'This domain belongs to the registry.'],
    ['Notice', 'It has been withheld from registration'],
    ['Notice', 'Not available for registration'],
    ['Notice', 'This domain cannot be registered.'],
    ['Notice', 'Registration of this domain is prohibited by law.'],
    ['Notice', 'A registration of foo.example is pending.'],
    ['Notice', 'The requested', 'domain is', 'reserved'],
    ['Registry reserved'],
    ['DPML block'],
    ['Notice', 'The domain name is not available.'],
    ['Notice', 'Sold at auction'],
    ['Notice', 'In redemption'],
    ['Notice', 'This name is in the sunrise phase of the TLD.'],
    ['Reserved by policy', 'See the terms.'],
    ['Notice', 'Domain already exists'],
    ['Notice', 'The domain is managed by another registrar.'],
    ['Notice', 'Premium name, contact your registrar'],
    ['Notice', 'Reserved name: see our policy for details'],
    ['Notice', 'Registration denied by policy'],
    ['Notice', 'The name conflicts with an existing registration'],
    ['Notice', 'The domain is active'],
    ['Notice', 'Sold'],
    ['ReservedName'],
    ['domain-not-available'],
    ['Hinweis', 'Die Domain ist bereits registriert'],
    ['Hinweis', 'Dieser Name ist reserviert.'],
    ['Hinweis', 'Domain nicht verfügbar'],
    ['Avis', 'Ce nom de domaine est réservé'],
    ['Avis', 'Ce domaine n’est pas disponible'],
    ['Aviso', 'El dominio ya está registrado'],
    ['Aviso', 'Domínio', 'bloqueado'],
    ['Avviso', 'Dominio non disponibile'],
    ['Melding', 'De domeinnaam is niet beschikbaar'],
    ['提示', '该域名已被注册'],
    ['Notice', 'You have exceeded the query limit.'],
    ['Notice', 'Query rate exceeded'],
    ['Too many requests'],
    ['Notice', 'Your IP address has been blocked.'],
    ['Access denied'],
    ['Notice', 'The service is temporarily unavailable', 'due to maintenance.'],
    ['Maintenance in progress'],
    ['Internal server error'],
    ['Notice', 'Timeout while querying the backend'],
    ['Notice', 'Upstream connect error'],
    ['Notice', 'Unable to process your request.'],
    ['Notice', 'The registry is undergoing maintenance.'],
    ['Notice', 'Temporary failure'],
    ['Notice', 'Please try again later.'],
    ['Object truncated due to authorization'],
    ['Notice', 'Result set truncated due to excessive load'],
    ['Notice', 'You are not authorized to view this object.'],
    ['Authentication required'],
    ['Notice', 'Partial results: some servers did not answer.'],
    ['Notice', 'Stale data'],
    ['Notice', 'The replica is out of sync.'],
    ['Notice', 'The registry database is offline.'],
    ['Notice', 'Lookup failed'],
    ['Notice', 'This is a test server.'],
    ['Notice', 'This server is not authoritative for the TLD.'],
    ['Notice', 'The TLD is not supported'],
    ['Notice', 'Please slow down.'],
    ['IDN variant'],
    ['Notice', 'Available for backorder'],
    ['Notice', 'Registry hold'],
    ['Notice', 'Domain transferred to another registry'],
  ])('contradict its "not found": %s %j %j %j', (title, ...description) => {
    const notice = { title, description };
    for (const members of [
      { notices: [notice] },
      { notices: [boilerplate, notice] },
      { notices: notice },
      { remarks: [notice] },
      { details: { reason: `${title}. ${description.join(' ')}` } },
    ])
      expect(meaningWith(members as Record<string, Json>), JSON.stringify(members)).not.toBe(
        'not found',
      );
  });

  it.each<Record<string, Json>>([
    { reserved: true },
    { isReserved: true },
    { available: false },
    { available: 0 },
    { registered: 'true' },
    { x_blocked: 1 },
    { availability: 'taken' },
    { registrationStatus: 'RESERVED' },
    { reason: 'sunrise' },
    { domain: { blocked: true } },
    { exists: true },
    { avail: 0 },
    { canRegister: false },
    { registrationAllowed: 'no' },
    { domainStatus: ['active'] },
    { domain: { ldhName: 'foo.example', status: 'active' } },
    { extensions: [{ name: 'state', value: 'reserved' }] },
    { entities: [{ roles: ['registrar'] }] },
    { registrar: 'Example Registrar' },
    { entities: [{}, { roles: ['registrar'] }] },
    { secureDNS: { delegationSigned: false } },
    { id: 'ReservedName' },
    { request: { reserved: true } },
    { registrarName: 'Example Registrar' },
    { expiration_date: '2030-01-01' },
    { nameserver: ['ns1.example.net'] },
    { domain: { creationDate: '2001-01-01', ownerId: 7 } },
    { data: [{ nameserver: [{ ldhName: 'ns1.example.net' }] }] },
    { result: { object: { events: [{ eventAction: 'x' }] } } },
    { object: { status: ['ok'] } },
  ])('are read like the member %j', (member) => {
    expect(meaningWith(member)).not.toBe('not found');
  });

  it.each<[string, ...string[]]>([
    ['Blocked Domain', 'This name has been blocked by a GlobalBlock service'],
    [
      '',
      'This name is not available for registration.',
      'This name has been blocked by a GlobalBlock service.',
    ],
    ['Reserved', 'This name is reserved by the registry.'],
    ['Registry policy', 'Reserved name'],
    ['Legal', 'Blocked by GlobalBlock.'],
  ])('mean that the name is withheld: %s %j', (title, ...description) => {
    expect(meaningWith({ notices: [boilerplate, { title, description }] })).toBe('withheld');
    expect(meaningWith({ title: '', description })).toBe('withheld');
  });

  it.each<[string, ...string[]]>([
    ['Sandbox', 'The TLD .example is reserved for testing (RFC 6761). All data is fictitious.'],
    ['Terms of Use', 'Names may be blocked or reserved. All rights reserved.'],
    [
      'Terms of Use',
      'Reserved names, blocked labels and premium domain names are not listed here.',
    ],
    ['Terms of Use', 'Access is restricted to registered users.', 'Excess queries are blocked.'],
    ['Rate limits', 'Clients that exceed 10 queries per minute are blocked.'],
    ['Reserved and Blocked Names', 'See https://registry.example/reserved?name=foo.example'],
    ['Trademarks', 'Example is a registered trademark. Rights are protected.'],
    ['Copyright', '© 2026 Example Registry. All rights reserved.'],
    ['About', 'Example Registry is registered in Luxembourg. Registered office: 1 Street.'],
    ['Notice', 'The sunrise period of .example has ended on 2020-01-01.'],
    ['Notice', 'Queries are restricted to 10 per minute.', 'Your address may be blocked.'],
    ['Notice', 'The use of this data is prohibited.', 'This service is limited to registrars.'],
    [
      'Notice',
      'A domain name that is not found may also be reserved by its registry under policy.',
    ],
    ['Notice', 'We reserve the right to restrict or terminate your access at any time.'],
    ['Notice', 'Please query the RDAP service of the Registrar of the queried domain name.'],
    ['Notice', 'The queried object was not found.', 'foo.example is not registered.'],
    ['Notice', 'Access is denied to clients that send too many queries per minute to our servers.'],
    ['Terms of Use', 'Access is denied to clients that send too many queries.'],
    ['Notice', 'If your query is rejected, please try again later.'],
    ['Notice', 'Internet domain names that we', 'registered or blocked for our', 'Customers'],
    ['Notice', 'No such domain exists.', 'RDAP service is live.'],
    ['Notice', 'Partial match searches are not supported.'],
    ['Notice', 'Reserved names are listed on our site.', 'Please contact the registrar.'],
    ['Nutzungsbedingungen', 'Die Genossenschaft ist in Frankfurt registriert.'],
    ['Hinweis', 'Die Domain ist noch nicht registriert.', 'Alle Rechte vorbehalten.'],
    ['Avis', 'Tous droits réservés.', "Le nom de domaine n'est pas enregistré."],
    ['Aviso', 'Todos os direitos reservados.', 'O domínio ainda não foi registrado.'],
    ['Aviso', 'El dominio no está registrado.', 'Todos los derechos reservados.'],
  ])('may contain boilerplate: %s %j', (title, ...description) => {
    expect(meaningWith({ notices: [{ title, description }] })).toBe('not found');
    for (const label of ['service', 'names', 'reserved', 'blocked', 'data'])
      expect(
        meaningWith(
          { description: ['Object not found'], notices: [{ title, description }] },
          parseDomainName(`${label}.example`),
        ),
        label,
      ).toBe('not found');
  });

  it.each<Record<string, Json>>([
    { available: true, reserved: false, registered: null },
    { canBeRegistered: true, exists: false, responseStatus: 'OK' },
    { error: { status: 404, handle: 'not_found', created: '2026-11-28', events: [] } },
    { requestId: 'a1', timestamp: '2026-11-28T00:00:00Z', links: [{ title: 'Help', href: 'x' }] },
    { entities: [], status: [], secureDNS: {}, events: null, handle: '', nameservers: [[], {}] },
    { reserved: [], available: {}, notices: [{ title: '', description: [] }] },
    { requestId: 'reserved-12', trace_id: 'blocked', id: 'taken-3', meta: { uuid: 'sold-1' } },
  ])('may come with members that say nothing about the name: %j', (members) => {
    expect(meaningWith(members)).toBe('not found');
  });

  it('are read for each TLD that they mention', () => {
    const notices = [{ title: 'Notice', description: ['.example is restricted.'] }];
    for (const [queried, meaning] of [
      ['bar.example', 'not found'],
      ['bar.test', 'contradicted'],
    ] as const)
      expect(meaningWith({ description: [], notices }, parseDomainName(queried))).toBe(meaning);
  });

  it('are not skipped however long they are', () => {
    const description = ['x '.repeat(20_000), 'This name is reserved.'];
    expect(meaningWith({ notices: [{ description }] })).toBe('contradicted');
  });
});
