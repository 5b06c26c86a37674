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
import { fieldOf, SiteResultType } from './site-result.ts';

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

const field = fieldOf<DnsRecords>();

export const DnsType = builder.objectRef<Outcome<DnsRecords>>('Dns').implement({
  interfaces: [SiteResultType],
  description:
    "The DNS records of a name, from the gateway's resolver. Servers may answer other resolvers differently. A list is " +
    'empty if the name has no records of the type, and null if that is unknown.',
  fields: (t) => ({
    exists: t.boolean(
      field('exists', 'Whether the name exists in the DNS. A registered domain need not.'),
    ),
    a: t.stringList(field('a', 'IPv4 addresses.')),
    aaaa: t.stringList(field('aaaa', 'IPv6 addresses.')),
    cname: t.stringList(
      field('cname', 'The targets of CNAME records, in the order in which they are followed.'),
    ),
    mx: t.field({ type: [MailServerType], ...field('mx', 'Mail servers.') }),
    ns: t.stringList(field('ns', 'Nameservers in lower case, without a trailing dot.')),
    txt: t.stringList(field('txt', 'TXT records; the strings of a record are joined.')),
    caa: t.field({
      type: [CaaType],
      ...field('caa', 'Which certification authorities may issue certificates.'),
    }),
    soa: t.field({
      type: SoaType,
      ...field('soa', 'The SOA record; null if the name is not the top of a zone.'),
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

const saleField = fieldOf<ForSale>();

export const ForSaleType = builder.objectRef<Outcome<ForSale>>('ForSale').implement({
  interfaces: [SiteResultType],
  description:
    'Whether a domain declares that it is for sale (RFC 10023): TXT records at `_for-sale`. Most domains for sale declare nothing.',
  fields: (t) => ({
    forSale: t.boolean(saleField('isForSale', 'Whether the domain declares that it is for sale.')),
    offers: t.field({
      type: [SaleOfferType],
      ...saleField('offers', 'The offers, in the order of the response.'),
    }),
  }),
});
