import type {
  Autnum,
  Entity,
  IpNetwork,
  Link,
  NameserverObject,
  PublicId,
  RdapObject,
  RelatedEntity,
  Remark,
} from '../../src/domain/rdap-objects.ts';
import { builder } from '../builder.ts';
import type { DataRow } from './object-row.ts';

/** An entity as another object lists it, and the server that sent that object. */
export interface EntityReference extends RelatedEntity {
  /** Base URL; null if the object is not from an RDAP server. */
  readonly baseUrl: string | null;
  readonly maxAge: number | undefined;
}

/** An address whose network can be looked up. */
export interface Address {
  readonly ip: string;
  readonly maxAge: number | undefined;
}

// Declared before their fields, because the types refer to each other.
export const RegistryObjectType = builder.interfaceRef<DataRow<RdapObject>>('RegistryObject');
export const IpNetworkType = builder.objectRef<DataRow<IpNetwork>>('IpNetwork');
export const AutnumType = builder.objectRef<DataRow<Autnum>>('Autnum');
export const EntityType = builder.objectRef<DataRow<Entity>>('Entity');
export const NameserverObjectType =
  builder.objectRef<DataRow<NameserverObject>>('NameserverObject');
export const RelatedEntityType = builder.objectRef<EntityReference>('RelatedEntity');
export const IpAddressType = builder.objectRef<Address>('IpAddress');

export const RemarkType = builder.objectRef<Remark>('Remark').implement({
  description: 'A remark of a registry about an object (RFC 9083 section 4.3).',
  fields: (t) => ({
    title: t.exposeString('title', { nullable: true, description: 'Title.' }),
    type: t.exposeString('type', {
      nullable: true,
      description: 'Kind of remark, in lower case (RFC 9083 section 10.2.1).',
    }),
    description: t.exposeStringList('description', { description: 'Paragraphs of text.' }),
  }),
});

export const LinkType = builder.objectRef<Link>('Link').implement({
  description: 'A link to a web page or another object (RFC 9083 section 4.2).',
  fields: (t) => ({
    rel: t.exposeString('rel', { nullable: true, description: 'Relation (RFC 8288).' }),
    href: t.exposeString('href', { description: 'URL.' }),
    type: t.exposeString('type', { nullable: true, description: 'Media type.' }),
  }),
});

export const PublicIdType = builder.objectRef<PublicId>('PublicId').implement({
  description: 'An identifier that another organization assigned (RFC 9083 section 4.8).',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'Kind, such as `IANA Registrar ID`.' }),
    identifier: t.exposeString('identifier', { description: 'Identifier.' }),
  }),
});
