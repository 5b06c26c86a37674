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
import { builder, objectType } from '../builder.ts';
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

export const RemarkType = objectType<Remark>('Remark', (t) => ({
  title: t.exposeString('title', { nullable: true }),
  type: t.exposeString('type', { nullable: true }),
  description: t.exposeStringList('description'),
}));

export const LinkType = objectType<Link>('Link', (t) => ({
  rel: t.exposeString('rel', { nullable: true }),
  href: t.exposeString('href'),
  type: t.exposeString('type', { nullable: true }),
}));

export const PublicIdType = objectType<PublicId>('PublicId', (t) => ({
  type: t.exposeString('type'),
  identifier: t.exposeString('identifier'),
}));
