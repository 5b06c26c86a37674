import type { Autnum } from '../../src/domain/rdap-objects.ts';
import { fieldOf } from './object-row.ts';
import { AutnumType, RegistryObjectType } from './types.ts';

const field = fieldOf<Autnum>();

AutnumType.implement({
  interfaces: [RegistryObjectType],
  fields: (t) => ({
    startNumber: t.float(field('startNumber')),
    endNumber: t.float(field('endNumber')),
    name: t.string(field('name')),
    type: t.string(field('type')),
    country: t.string(field('country')),
  }),
});
