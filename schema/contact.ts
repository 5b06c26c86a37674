import type { Contact, PostalAddress, Registrar } from '../src/domain/registration.ts';
import { builder } from './builder.ts';
import { entityAt } from './objects/lookups.ts';
import { EntityType, type EntityReference } from './objects/types.ts';

/** A registrar, with the server that sent the record and the maximum age of its lookup. */
export type RegistrarRow = Registrar & Pick<EntityReference, 'baseUrl' | 'maxAge'>;

export const RegistrarType = builder.objectRef<RegistrarRow>('Registrar').implement({
  description: 'The registrar through which the name is registered.',
  fields: (t) => ({
    handle: t.exposeString('handle', { nullable: true, description: "The registry's identifier." }),
    entity: t.field({
      type: EntityType,
      nullable: true,
      description:
        "The registry's own object of the registrar. Selecting its fields triggers a lookup, at the price of a record. Null " +
        'without a handle.',
      resolve: (registrar, _args, { lookup }) => entityAt(registrar, lookup),
    }),
    name: t.exposeString('name', { nullable: true, description: 'Name.' }),
    ianaId: t.exposeString('ianaId', {
      nullable: true,
      description: 'IANA registrar ID.',
    }),
    url: t.exposeString('url', { nullable: true, description: 'Website.' }),
    abuseEmail: t.exposeString('abuseEmail', {
      nullable: true,
      description: 'E-mail address for abuse reports.',
    }),
    abusePhone: t.exposeString('abusePhone', {
      nullable: true,
      description: 'Phone number for abuse reports.',
    }),
  }),
});

const PostalAddressType = builder.objectRef<PostalAddress>('PostalAddress').implement({
  description: 'A postal address (RFC 7095, `adr`).',
  fields: (t) => ({
    street: t.exposeStringList('street', { description: 'Lines of the street address.' }),
    city: t.exposeString('city', { nullable: true, description: 'City.' }),
    region: t.exposeString('region', { nullable: true, description: 'State or province.' }),
    postalCode: t.exposeString('postalCode', { nullable: true, description: 'Postal code.' }),
    country: t.exposeString('country', {
      nullable: true,
      description: 'Country name, as sent by the registry.',
    }),
    countryCode: t.exposeString('countryCode', {
      nullable: true,
      description: 'ISO 3166-1 alpha-2 code.',
    }),
  }),
});

export const ContactType = builder.objectRef<Contact>('Contact').implement({
  description:
    'A contact of the registration (RFC 9083 section 5.1). Most are redacted; null means not published.',
  fields: (t) => ({
    roles: t.exposeStringList('roles', {
      description:
        'Roles in lower case, such as `registrant` or `technical` (RFC 9083 section 10.2.4).',
    }),
    handle: t.exposeString('handle', { nullable: true, description: "The registry's identifier." }),
    kind: t.exposeString('kind', {
      nullable: true,
      description: 'Kind of contact, such as `individual` or `org`.',
    }),
    name: t.exposeString('name', { nullable: true, description: 'Full name.' }),
    organization: t.exposeString('organization', { nullable: true, description: 'Organisation.' }),
    email: t.exposeString('email', { nullable: true, description: 'E-mail address.' }),
    phone: t.exposeString('phone', { nullable: true, description: 'Phone number.' }),
    fax: t.exposeString('fax', { nullable: true, description: 'Fax number.' }),
    url: t.exposeString('url', {
      nullable: true,
      description: 'URL, often of a contact form that replaces the e-mail address (RFC 8605).',
    }),
    address: t.expose('address', {
      type: PostalAddressType,
      nullable: true,
      description: 'Postal address.',
    }),
  }),
});
