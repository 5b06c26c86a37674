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
  description: 'A person or an organization (RFC 9083 section 5.1).',
  fields: (t) => ({
    roles: t.stringList(
      list('roles', 'Roles in lower case, if the registry sends any (RFC 9083 section 10.2.4).'),
    ),
    contact: t.field({
      type: ContactType,
      ...field('contact', 'Name, organization and addresses.'),
    }),
    publicIds: t.field({
      type: [PublicIdType],
      ...list('publicIds', 'Identifiers that other organizations assigned.'),
    }),
    asEventActor: t.field({
      type: [EventType],
      ...list(
        'asEventActor',
        'Events of other objects that the entity caused (RFC 9083 section 5.1).',
      ),
    }),
    networks: t.field({
      type: [IpNetworkType],
      ...listField(
        'The networks that the registry lists in this object.',
        ({ networks }: Entity, row) => networks.map((network) => embedded(network, row)),
      ),
    }),
    autnums: t.field({
      type: [AutnumType],
      ...listField(
        'The autonomous systems that the registry lists in this object.',
        ({ autnums }: Entity, row) => autnums.map((autnum) => embedded(autnum, row)),
      ),
    }),
  }),
});
