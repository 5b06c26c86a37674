import type { NameserverObject } from '../../src/domain/rdap-objects.ts';
import { fieldOf, listField, listFieldOf } from './object-row.ts';
import { IpAddressType, NameserverObjectType, RegistryObjectType } from './types.ts';

const field = fieldOf<NameserverObject>();
const list = listFieldOf<NameserverObject>();

NameserverObjectType.implement({
  interfaces: [RegistryObjectType],
  fields: (t) => ({
    ldhName: t.string(field('ldhName')),
    unicodeName: t.string(field('unicodeName')),
    ipv4: t.stringList(list('ipv4')),
    ipv6: t.stringList(list('ipv6')),
    addresses: t.field({
      type: [IpAddressType],
      ...listField(({ ipv4, ipv6 }: NameserverObject, { maxAge }) =>
        [...ipv4, ...ipv6].map((ip) => ({ ip, maxAge })),
      ),
    }),
  }),
});
