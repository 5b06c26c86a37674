import type { Contact, Registration } from '../domain/registration.ts';
import { toSnakeCase } from '../http/rest/key-naming.ts';

/** Returns a registration in the form of `GET /v1/rdap`: what is not published is null. */
export function registrationBody(registration: Registration): object {
  const { registrar, registrant, contacts, dnssec } = registration;
  return {
    ...fields(registration, ['handle']),
    registrar: registrar
      ? fields(registrar, ['name', 'ianaId', 'url', 'abuseEmail', 'abusePhone'])
      : null,
    registrant: registrant ? contactBody(registrant) : null,
    contacts: contacts.map(contactBody),
    ...fields(registration, ['createdAt', 'updatedAt', 'expiresAt', 'statuses']),
    hosts: registration.hosts.map((host) => fields(host, ['name', 'ipv4', 'ipv6'])),
    dnssec: {
      ...fields(dnssec, ['signed']),
      ds_records: dnssec.dsRecords.map((record) =>
        fields(record, ['keyTag', 'algorithm', 'digestType', 'digest']),
      ),
    },
    redacted: registration.redacted.map((entry) => fields(entry, ['name', 'method', 'reason'])),
  };
}

function contactBody({ address, ...contact }: Contact): object {
  return {
    ...fields(contact, ['roles', 'handle', 'kind', 'name', 'organization']),
    ...fields(contact, ['email', 'phone', 'fax', 'url']),
    address: address
      ? fields(address, ['street', 'city', 'region', 'postalCode', 'country', 'countryCode'])
      : null,
  };
}

/** Returns some members of an object, with keys in snake_case. An absent member is null. */
function fields<T extends object>(value: T, keys: readonly (keyof T & string)[]): object {
  return Object.fromEntries(keys.map((key) => [toSnakeCase(key), value[key] ?? null]));
}
