import type { Entity } from '../../src/domain/rdap-objects.ts';
import { ContactType } from '../contact.ts';
import { EventType } from '../registration.ts';
import { dataField, embedded, listField } from './object-row.ts';
import {
  AutnumType,
  EntityType,
  IpNetworkType,
  PublicIdType,
  RegistryObjectType,
} from './types.ts';

EntityType.implement({
  interfaces: [RegistryObjectType],
  description: 'A person or an organization (RFC 9083 section 5.1).',
  fields: (t) => ({
    roles: t.stringList({
      description: 'Roles in lower case, if the registry sends any (RFC 9083 section 10.2.4).',
      resolve: listField(({ roles }: Entity) => roles),
    }),
    contact: t.field({
      type: ContactType,
      nullable: true,
      description: 'Name, organization and addresses.',
      resolve: dataField(({ contact }: Entity) => contact),
    }),
    publicIds: t.field({
      type: [PublicIdType],
      description: 'Identifiers that other organizations assigned.',
      resolve: listField(({ publicIds }: Entity) => publicIds),
    }),
    asEventActor: t.field({
      type: [EventType],
      description: 'Events of other objects that the entity caused (RFC 9083 section 5.1).',
      resolve: listField(({ asEventActor }: Entity) => asEventActor),
    }),
    networks: t.field({
      type: [IpNetworkType],
      description: 'The networks that the registry lists in this object.',
      resolve: listField(({ networks }: Entity, row) =>
        networks.map((network) => embedded(network, row)),
      ),
    }),
    autnums: t.field({
      type: [AutnumType],
      description: 'The autonomous systems that the registry lists in this object.',
      resolve: listField(({ autnums }: Entity, row) =>
        autnums.map((autnum) => embedded(autnum, row)),
      ),
    }),
  }),
});
