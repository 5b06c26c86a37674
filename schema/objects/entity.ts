import type { Entity } from '../../src/domain/rdap-objects.ts';
import { ContactType } from '../contact.ts';
import { EventType } from '../registration.ts';
import { embedded, fieldOf, listField, listFieldOf } from './object-row.ts';
import {
  AutnumType,
  EntityType,
  IpNetworkType,
  PublicIdType,
  RegistryObjectType,
} from './types.ts';

const field = fieldOf<Entity>();
const list = listFieldOf<Entity>();

EntityType.implement({
  interfaces: [RegistryObjectType],
  fields: (t) => ({
    roles: t.stringList(list('roles')),
    contact: t.field({ type: ContactType, ...field('contact') }),
    publicIds: t.field({ type: [PublicIdType], ...list('publicIds') }),
    asEventActor: t.field({ type: [EventType], ...list('asEventActor') }),
    networks: t.field({
      type: [IpNetworkType],
      ...listField(({ networks }: Entity, row) =>
        networks.map((network) => embedded(network, row)),
      ),
    }),
    autnums: t.field({
      type: [AutnumType],
      ...listField(({ autnums }: Entity, row) => autnums.map((autnum) => embedded(autnum, row))),
    }),
  }),
});
