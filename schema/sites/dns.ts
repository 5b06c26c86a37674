import type {
  CaaProperty,
  DnsRecords,
  ForSale,
  MailServer,
  SaleOffer,
  StartOfAuthority,
} from '../../src/sites/dns/dns-records.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import { builder } from '../builder.ts';
import { counted } from '../objects/object-row.ts';
import { IpAddressType, type Address } from '../objects/types.ts';
import { fieldOf, SiteResultType } from './site-result.ts';

const MailServerType = builder.objectRef<MailServer>('MxRecord').implement({
  fields: (t) => ({
    priority: t.exposeInt('priority'),
    exchange: t.exposeString('exchange'),
  }),
});

const CaaType = builder.objectRef<CaaProperty>('CaaRecord').implement({
  fields: (t) => ({
    critical: t.exposeBoolean('isCritical'),
    tag: t.exposeString('tag'),
    value: t.exposeString('value'),
  }),
});

const SoaType = builder.objectRef<StartOfAuthority>('SoaRecord').implement({
  fields: (t) => ({
    nameserver: t.exposeString('nameserver'),
    hostmaster: t.exposeString('hostmaster'),
    serial: t.exposeFloat('serial'),
    refresh: t.exposeFloat('refresh'),
    retry: t.exposeFloat('retry'),
    expire: t.exposeFloat('expire'),
    minimumTtl: t.exposeFloat('minimumTtl'),
  }),
});

const field = fieldOf<DnsRecords>();

/** DNS records, with the maximum age of what is looked up from them. */
type DnsOutcome = Outcome<DnsRecords> & Pick<Address, 'maxAge'>;

export const DnsType = builder.objectRef<DnsOutcome>('Dns').implement({
  interfaces: [SiteResultType],
  fields: (t) => ({
    exists: t.boolean(field('exists')),
    a: t.stringList(field('a')),
    aaaa: t.stringList(field('aaaa')),
    addresses: t.field({
      type: [IpAddressType],
      nullable: true,
      resolve: ({ data, maxAge }, _args, context) =>
        data ? counted([...data.a, ...data.aaaa], context).map((ip) => ({ ip, maxAge })) : null,
    }),
    cname: t.stringList(field('cname')),
    mx: t.field({ type: [MailServerType], ...field('mx') }),
    ns: t.stringList(field('ns')),
    txt: t.stringList(field('txt')),
    caa: t.field({ type: [CaaType], ...field('caa') }),
    soa: t.field({ type: SoaType, ...field('soa') }),
  }),
});

const SaleOfferType = builder.objectRef<SaleOffer>('SaleOffer').implement({
  fields: (t) => ({
    content: t.exposeString('content'),
    code: t.exposeString('code', { nullable: true }),
    text: t.exposeString('text', { nullable: true }),
    uri: t.exposeString('uri', { nullable: true }),
    currency: t.exposeString('currency', { nullable: true }),
    amount: t.exposeString('amount', { nullable: true }),
  }),
});

const saleField = fieldOf<ForSale>();

export const ForSaleType = builder.objectRef<Outcome<ForSale>>('ForSale').implement({
  interfaces: [SiteResultType],
  fields: (t) => ({
    forSale: t.boolean(saleField('isForSale')),
    offers: t.field({ type: [SaleOfferType], ...saleField('offers') }),
  }),
});
