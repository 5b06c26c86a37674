import type { Autnum } from '../../src/domain/rdap-objects.ts';
import { fieldOf } from './object-row.ts';
import { AutnumType, RegistryObjectType } from './types.ts';

const field = fieldOf<Autnum>();

AutnumType.implement({
  interfaces: [RegistryObjectType],
  description: 'A block of autonomous system numbers with one holder (RFC 9083 section 5.5).',
  fields: (t) => ({
    startNumber: t.float(field('startNumber', 'First number of the block.')),
    endNumber: t.float(field('endNumber', 'Last number of the block.')),
    name: t.string(field('name', "The holder's name for the autonomous system.")),
    type: t.string(field('type', "The registry's kind of allocation.")),
    country: t.string(field('country', 'ISO 3166-1 alpha-2 code of the country, in upper case.')),
  }),
});
