import type { Autnum } from '../../src/domain/rdap-objects.ts';
import { dataField } from './object-row.ts';
import { AutnumType, RegistryObjectType } from './types.ts';

const field = <R>(read: (autnum: Autnum) => R | null | undefined) => dataField(read);

AutnumType.implement({
  interfaces: [RegistryObjectType],
  description: 'A block of autonomous system numbers with one holder (RFC 9083 section 5.5).',
  fields: (t) => ({
    startNumber: t.float({
      nullable: true,
      description: 'First number of the block.',
      resolve: field(({ startNumber }) => startNumber),
    }),
    endNumber: t.float({
      nullable: true,
      description: 'Last number of the block.',
      resolve: field(({ endNumber }) => endNumber),
    }),
    name: t.string({
      nullable: true,
      description: "The holder's name for the autonomous system.",
      resolve: field(({ name }) => name),
    }),
    type: t.string({
      nullable: true,
      description: "The registry's kind of allocation.",
      resolve: field(({ type }) => type),
    }),
    country: t.string({
      nullable: true,
      description: 'ISO 3166-1 alpha-2 code of the country, in upper case.',
      resolve: field(({ country }) => country),
    }),
  }),
});
