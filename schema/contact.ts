import type { Contact, PostalAddress, Registrar } from '../src/domain/registration.ts';
import { objectType } from './builder.ts';
import { entityAt } from './objects/lookups.ts';
import { EntityType, type EntityReference } from './objects/types.ts';

/** A registrar, with the server that sent the record and the maximum age of its lookup. */
export type RegistrarRow = Registrar & Pick<EntityReference, 'baseUrl' | 'maxAge'>;

export const RegistrarType = objectType<RegistrarRow>('Registrar', (t) => ({
  handle: t.exposeString('handle', { nullable: true }),
  entity: t.field({
    type: EntityType,
    nullable: true,
    resolve: (registrar, _args, { lookup }) => entityAt(registrar, lookup),
  }),
  name: t.exposeString('name', { nullable: true }),
  ianaId: t.exposeString('ianaId', { nullable: true }),
  url: t.exposeString('url', { nullable: true }),
  abuseEmail: t.exposeString('abuseEmail', { nullable: true }),
  abusePhone: t.exposeString('abusePhone', { nullable: true }),
}));

const PostalAddressType = objectType<PostalAddress>('PostalAddress', (t) => ({
  street: t.exposeStringList('street'),
  city: t.exposeString('city', { nullable: true }),
  region: t.exposeString('region', { nullable: true }),
  postalCode: t.exposeString('postalCode', { nullable: true }),
  country: t.exposeString('country', { nullable: true }),
  countryCode: t.exposeString('countryCode', { nullable: true }),
}));

export const ContactType = objectType<Contact>('Contact', (t) => ({
  roles: t.exposeStringList('roles'),
  handle: t.exposeString('handle', { nullable: true }),
  kind: t.exposeString('kind', { nullable: true }),
  name: t.exposeString('name', { nullable: true }),
  organization: t.exposeString('organization', { nullable: true }),
  email: t.exposeString('email', { nullable: true }),
  phone: t.exposeString('phone', { nullable: true }),
  fax: t.exposeString('fax', { nullable: true }),
  url: t.exposeString('url', { nullable: true }),
  address: t.expose('address', { type: PostalAddressType, nullable: true }),
}));
