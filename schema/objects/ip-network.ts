import type { IpNetwork } from '../../src/domain/rdap-objects.ts';
import { networkOf } from './lookups.ts';
import { fieldOf, listFieldOf } from './object-row.ts';
import { IpAddressType, IpNetworkType, RegistryObjectType } from './types.ts';

const field = fieldOf<IpNetwork>();
const list = listFieldOf<IpNetwork>();

IpNetworkType.implement({
  interfaces: [RegistryObjectType],
  fields: (t) => ({
    startAddress: t.string(field('startAddress')),
    endAddress: t.string(field('endAddress')),
    cidr: t.stringList(list('cidrs')),
    version: t.string(field('ipVersion')),
    name: t.string(field('name')),
    type: t.string(field('type')),
    country: t.string(field('country')),
    originAutnums: t.floatList(list('originAutnums')),
    parentHandle: t.string(field('parentHandle')),
    geofeed: t.string(field('geofeed')),
  }),
});

IpAddressType.implement({
  fields: (t) => ({
    ip: t.exposeString('ip'),
    network: t.field({
      type: IpNetworkType,
      nullable: true,
      resolve: (address, _args, { lookup }) => networkOf(address, lookup),
    }),
  }),
});
