import type {
  CaaProperty,
  DnsRecords,
  ForSale,
  MailServer,
  SaleOffer,
  StartOfAuthority,
} from './dns-records.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { builder, objectType, nullableStrings } from '../../schema/builder.ts';
import { addressesOf, counted, IpAddressType, type Address } from '../../schema/objects/object-row.ts';
import { fieldOf, siteResult, SiteResultType } from '../site-result.ts';

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

const dnsField = fieldOf<DnsRecords>();

type DnsOutcome = Outcome<DnsRecords> & Pick<Address, 'maxAge'>;

export const DnsType = builder.objectRef<DnsOutcome>('Dns').implement({
  interfaces: [SiteResultType],
  fields: (t) => ({
    exists: t.boolean(dnsField('exists')),
    a: t.stringList(dnsField('a')),
    aaaa: t.stringList(dnsField('aaaa')),
    addresses: t.field({
      type: [IpAddressType],
      nullable: true,
      resolve: ({ data, maxAge }, _args, context) =>
        data ? counted(addressesOf([data.a, data.aaaa], maxAge), context) : null,
    }),
    cname: t.stringList(dnsField('cname')),
    mx: t.field({ type: [MailServerType], ...dnsField('mx') }),
    ns: t.stringList(dnsField('ns')),
    txt: t.stringList(dnsField('txt')),
    caa: t.field({ type: [CaaType], ...dnsField('caa') }),
    soa: t.field({ type: SoaType, ...dnsField('soa') }),
  }),
});

const SaleOfferType = objectType<SaleOffer>('SaleOffer', (t) => ({
  content: t.exposeString('content'),
  ...nullableStrings(t, 'code', 'text', 'uri', 'currency', 'amount'),
}));

export const ForSaleType = siteResult<ForSale>('ForSale', (t, field) => ({
  forSale: t.boolean(field('isForSale')),
  offers: t.field({ type: [SaleOfferType], ...field('offers') }),
}));
