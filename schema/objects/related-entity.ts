import { ContactType } from '../contact.ts';
import { entityAt, entityReferences } from './lookups.ts';
import { counted } from './object-row.ts';
import { EntityType, PublicIdType, RelatedEntityType } from './types.ts';

RelatedEntityType.implement({
  description:
    'A person or an organization, as another object lists it (RFC 9083 section 5.1). `entity` looks it up.',
  fields: (t) => ({
    handle: t.exposeString('handle', {
      nullable: true,
      description: "The registry's identifier.",
    }),
    roles: t.exposeStringList('roles', {
      description:
        'Roles in lower case, such as `registrant` or `abuse` (RFC 9083 section 10.2.4).',
    }),
    contact: t.expose('contact', {
      type: ContactType,
      description: 'The contact data that the object contains.',
    }),
    publicIds: t.expose('publicIds', {
      type: [PublicIdType],
      description: 'Identifiers that other organizations assigned.',
    }),
    entities: t.field({
      type: [RelatedEntityType],
      description: 'Entities inside this one, such as the abuse contact of a registrar.',
      resolve: (reference, _args, context) =>
        entityReferences(counted(reference.entities, context), reference),
    }),
    entity: t.field({
      type: EntityType,
      nullable: true,
      description:
        "The registry's own object of this entity, with its networks and autonomous systems. Selecting its fields triggers a " +
        'lookup, at the price of a record. Null without a handle.',
      resolve: (reference, _args, { lookup }) => entityAt(reference, lookup),
    }),
  }),
});
