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
import { dataField, listField, SiteResultType } from './site-result.ts';

const MailServerType = builder.objectRef<MailServer>('MxRecord').implement({
  description: 'An MX record.',
  fields: (t) => ({
    priority: t.exposeInt('priority', { description: 'The lowest is preferred.' }),
    exchange: t.exposeString('exchange', {
      description: 'Host name of the mail server; empty if the name accepts no mail (RFC 7505).',
    }),
  }),
});

const CaaType = builder.objectRef<CaaProperty>('CaaRecord').implement({
  description: 'A CAA record (RFC 8659).',
  fields: (t) => ({
    critical: t.exposeBoolean('isCritical', { description: 'Whether it is critical.' }),
    tag: t.exposeString('tag', { description: 'The property, such as `issue`.' }),
    value: t.exposeString('value', { description: 'The value, such as the domain of a CA.' }),
  }),
});

const SoaType = builder.objectRef<StartOfAuthority>('SoaRecord').implement({
  description: 'An SOA record (RFC 1035 section 3.3.13). Times are in seconds.',
  fields: (t) => ({
    nameserver: t.exposeString('nameserver', { description: 'The primary nameserver.' }),
    hostmaster: t.exposeString('hostmaster', {
      description: 'The mailbox of the zone, as a domain name.',
    }),
    serial: t.exposeFloat('serial', { description: 'The version of the zone.' }),
    refresh: t.exposeFloat('refresh', { description: 'Interval of refreshes.' }),
    retry: t.exposeFloat('retry', { description: 'Interval after a failed refresh.' }),
    expire: t.exposeFloat('expire', { description: 'When the zone expires without a refresh.' }),
    minimumTtl: t.exposeFloat('minimumTtl', { description: 'TTL of negative answers.' }),
  }),
});

const list = <R>(read: (records: DnsRecords) => readonly R[]) => listField(read);

export const DnsType = builder.objectRef<Outcome<DnsRecords>>('Dns').implement({
  interfaces: [SiteResultType],
  description:
    "The DNS records of a name, from the gateway's resolver. Servers may answer other resolvers differently. A list is " +
    'empty if the name has no records of the type, and null if that is unknown.',
  fields: (t) => ({
    exists: t.boolean({
      nullable: true,
      description: 'Whether the name exists in the DNS. A registered domain need not.',
      resolve: dataField(({ exists }: DnsRecords) => exists),
    }),
    a: t.stringList({
      nullable: true,
      description: 'IPv4 addresses.',
      resolve: list(({ a }) => a),
    }),
    aaaa: t.stringList({
      nullable: true,
      description: 'IPv6 addresses.',
      resolve: list(({ aaaa }) => aaaa),
    }),
    cname: t.stringList({
      nullable: true,
      description: 'The targets of CNAME records, in the order in which they are followed.',
      resolve: list(({ cname }) => cname),
    }),
    mx: t.field({
      type: [MailServerType],
      nullable: true,
      description: 'Mail servers.',
      resolve: list(({ mx }) => mx),
    }),
    ns: t.stringList({
      nullable: true,
      description: 'Nameservers in lower case, without a trailing dot.',
      resolve: list(({ ns }) => ns),
    }),
    txt: t.stringList({
      nullable: true,
      description: 'TXT records; the strings of a record are joined.',
      resolve: list(({ txt }) => txt),
    }),
    caa: t.field({
      type: [CaaType],
      nullable: true,
      description: 'Which certification authorities may issue certificates.',
      resolve: list(({ caa }) => caa),
    }),
    soa: t.field({
      type: SoaType,
      nullable: true,
      description: 'The SOA record; null if the name is not the top of a zone.',
      resolve: dataField(({ soa }: DnsRecords) => soa),
    }),
  }),
});

const SaleOfferType = builder.objectRef<SaleOffer>('SaleOffer').implement({
  description: 'An offer of a domain for sale, as its holder published it. Nothing is verified.',
  fields: (t) => ({
    content: t.exposeString('content', {
      description:
        'The content after the version tag, as published; of a URI that is personal data, such as `mailto:`, only the scheme.',
    }),
    code: t.exposeString('code', { nullable: true, description: 'A code for the sale.' }),
    text: t.exposeString('text', { nullable: true, description: 'Human-readable text.' }),
    uri: t.exposeString('uri', { nullable: true, description: 'An `http:` or `https:` URI.' }),
    currency: t.exposeString('currency', {
      nullable: true,
      description: 'An ISO 4217 code or another currency.',
    }),
    amount: t.exposeString('amount', {
      nullable: true,
      description: 'The price, a decimal number as published.',
    }),
  }),
});

export const ForSaleType = builder.objectRef<Outcome<ForSale>>('ForSale').implement({
  interfaces: [SiteResultType],
  description:
    'Whether a domain declares that it is for sale (RFC 10023): TXT records at `_for-sale`. Most domains for sale declare nothing.',
  fields: (t) => ({
    forSale: t.boolean({
      nullable: true,
      description: 'Whether the domain declares that it is for sale.',
      resolve: dataField(({ isForSale }: ForSale) => isForSale),
    }),
    offers: t.field({
      type: [SaleOfferType],
      nullable: true,
      description: 'The offers, in the order of the response.',
      resolve: listField(({ offers }: ForSale) => offers),
    }),
  }),
});
