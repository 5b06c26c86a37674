import { ContactType } from '../contact.ts';
import { entityAt, entityReferences } from './lookups.ts';
import { counted } from './object-row.ts';
import { EntityType, PublicIdType, RelatedEntityType } from './types.ts';

RelatedEntityType.implement({
  fields: (t) => ({
    handle: t.exposeString('handle', { nullable: true }),
    roles: t.exposeStringList('roles'),
    contact: t.expose('contact', { type: ContactType }),
    publicIds: t.expose('publicIds', { type: [PublicIdType] }),
    entities: t.field({
      type: [RelatedEntityType],
      resolve: (reference, _args, context) =>
        entityReferences(counted(reference.entities, context), reference),
    }),
    entity: t.field({
      type: EntityType,
      nullable: true,
      resolve: (reference, _args, { lookup }) => entityAt(reference, lookup),
    }),
  }),
});
