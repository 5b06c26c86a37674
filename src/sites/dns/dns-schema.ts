import { lookUp, maxAgeArg, type SiteField } from '../site-field.ts';
import { dnsLookup } from './dns-lookup.ts';
import type { CaaProperty, DnsRecords, MailServer, StartOfAuthority } from './dns-records.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { builder, objectType } from '../../schema/builder.ts';
import {
  addressesOf,
  counted,
  IpAddressType,
  type Address,
} from '../../schema/objects/object-row.ts';
import { fieldOf, SiteResultType } from '../site-result.ts';

const MailServerType = objectType<MailServer>('MxRecord', (t) => ({
  priority: t.exposeInt('priority'),
  exchange: t.exposeString('exchange'),
}));

const CaaType = objectType<CaaProperty>('CaaRecord', (t) => ({
  critical: t.exposeBoolean('isCritical'),
  tag: t.exposeString('tag'),
  value: t.exposeString('value'),
}));

const SoaType = objectType<StartOfAuthority>('SoaRecord', (t) => ({
  nameserver: t.exposeString('nameserver'),
  hostmaster: t.exposeString('hostmaster'),
  serial: t.exposeFloat('serial'),
  refresh: t.exposeFloat('refresh'),
  retry: t.exposeFloat('retry'),
  expire: t.exposeFloat('expire'),
  minimumTtl: t.exposeFloat('minimumTtl'),
}));

const recordField = fieldOf<DnsRecords>();

type DnsOutcome = Outcome<DnsRecords> & Pick<Address, 'maxAge'>;

export const DnsType = builder.objectRef<DnsOutcome>('Dns').implement({
  interfaces: [SiteResultType],
  fields: (t) => ({
    exists: t.boolean(recordField('exists')),
    a: t.stringList(recordField('a')),
    aaaa: t.stringList(recordField('aaaa')),
    addresses: t.field({
      type: [IpAddressType],
      nullable: true,
      resolve: ({ data, maxAge }, _args, context) =>
        data ? counted(addressesOf([data.a, data.aaaa], maxAge), context) : null,
    }),
    cname: t.stringList(recordField('cname')),
    mx: t.field({ type: [MailServerType], ...recordField('mx') }),
    ns: t.stringList(recordField('ns')),
    txt: t.stringList(recordField('txt')),
    caa: t.field({ type: [CaaType], ...recordField('caa') }),
    soa: t.field({ type: SoaType, ...recordField('soa') }),
  }),
});

export const dnsField: SiteField = (t) =>
  t.field({
    type: DnsType,
    args: maxAgeArg,
    resolve: async (site, args, context) => ({
      ...(await lookUp(dnsLookup, site, context)),
      maxAge: args.maxAge ?? context.lookup.maxAgeOf({ id: site.domain }),
    }),
  });
