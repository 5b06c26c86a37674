import type { Problem } from '../../domain/problems.ts';
import type { IpNetwork, RelatedEntity } from '../../domain/rdap-objects.ts';
import { recordCost } from '../../execution/charging/prices.ts';
import type { Context } from '../../execution/context.ts';
import { fieldFacts } from '../../execution/field-facts.ts';
import type { DomainRow } from '../../lookup/row.ts';
import { parseSiteHost } from '../site-target.ts';
import { builder, enumOfWords, nullableStrings } from '../../schema/builder.ts';
import { DomainType, registrationOf } from '../../schema/domain.ts';
import {
  networkOf,
  addressesOf,
  counted,
  type DataRow,
  IpNetworkType,
  maxAddresses,
} from '../../schema/objects/object-row.ts';
import { problemField } from '../../schema/problem.ts';
import { RegistrationType, type IdentifiedRegistration } from '../../schema/registration.ts';
import { dnsLookup } from '../dns/dns-feature.ts';
import { siteMaxAgeDescription, sitesOf } from '../site-result.ts';
import type { Contact, Registration } from '../../domain/registration.ts';

/** To whom abuse is reported. E-mail and telephone number are undefined if none is stated. */
interface AbuseContact {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
}

/** Whose contact it is: of the registrar, of the registry, or of a network. */
const abuseSources = ['registrar', 'registry', 'network'] as const;
type AbuseSource = (typeof abuseSources)[number];

/** A contact, and the object that states it; or why that object could not be looked up. */
interface AbuseContactRow extends AbuseContact {
  readonly source: AbuseSource;
  readonly registration?: IdentifiedRegistration;
  readonly network?: DataRow<IpNetwork>;
  readonly addresses?: readonly string[];
  readonly problem?: Problem | undefined;
}

const AbuseContactType = builder.objectRef<AbuseContactRow>('AbuseContact').implement({
  fields: (t) => ({
    source: t.expose('source', { type: enumOfWords('AbuseSource', abuseSources) }),
    ...nullableStrings(t, 'name', 'email', 'phone'),
    registration: t.expose('registration', { type: RegistrationType, nullable: true }),
    network: t.expose('network', { type: IpNetworkType, nullable: true }),
    addresses: t.stringList({ resolve: ({ addresses = [] }) => [...addresses] }),
    problem: t.field(problemField),
  }),
});

builder.objectField(DomainType, 'abuseContacts', (t) =>
  t.field({
    type: [AbuseContactType],
    extensions: fieldFacts({
      reads: 'record',
      cost: recordCost + dnsLookup.price,
      maxFound: maxAddresses,
    }),
    args: { maxAge: t.arg.int({ description: siteMaxAgeDescription }) },
    resolve: async (row, { maxAge }, context) => {
      const ofNetworks = row.refusal ? [] : contactsOfNetworks(row, maxAge ?? undefined, context);
      return (await Promise.all([contactsOfName(row, context), ofNetworks])).flat();
    },
  }),
);

async function contactsOfName(row: DomainRow, { lookup }: Context): Promise<AbuseContactRow[]> {
  const { problem } = await row.outcome();
  const registration = await registrationOf(row, lookup);
  if (registration)
    return abuseContactsOf(registration).map((contact) => ({ ...contact, registration }));
  return problem ? [{ source: 'registrar', problem }] : [];
}

/**
 * Returns the contacts of the networks of the addresses of a name: at least one of each network, and
 * an entry for the addresses that are not looked up.
 */
async function contactsOfNetworks(
  row: DomainRow,
  maxAge: number | undefined,
  context: Context,
): Promise<AbuseContactRow[]> {
  const target = parseSiteHost(row.domain);
  const dns = await sitesOf(context).get({ lookup: dnsLookup }, target);
  if (!dns.data) return [{ source: 'network', problem: dns.problem }];

  const age = maxAge ?? context.lookup.maxAgeOf(row);
  const addresses = counted(addressesOf([dns.data.a, dns.data.aaaa], age), context);
  const found = await Promise.all(
    addresses.map(async (address) => {
      const network = networkOf(address, context.lookup);
      const [contents, outcome] = [await network?.data(), await network?.outcome()];
      return { ...address, network, contents, outcome };
    }),
  );
  const networks = Map.groupBy(found, ({ ip, contents, problem }) =>
    contents ? `${contents.startAddress} ${contents.endAddress}` : (problem?.code ?? ip),
  );

  return Array.from(networks.values()).flatMap((sharing) => {
    const [{ network, contents, outcome } = {}] = sharing;
    const stated = counted(abuseContactsIn(contents?.entities ?? []), context);

    return (stated.length > 0 ? stated : [{}]).map((contact) => ({
      ...contact,
      source: 'network',
      addresses: sharing.map(({ ip }) => ip),
      ...(contents && network && { network }),
      problem: outcome?.problem,
    }));
  });
}

/** Returns the contact of the registrar, and another one that the registry lists, if any. */
function abuseContactsOf({
  registrar,
  contacts,
}: Registration): readonly (AbuseContact & { readonly source: AbuseSource })[] {
  const { name, abuseEmail: email, abusePhone: phone } = registrar ?? {};
  const other = contacts.find(
    (contact) => isAbuseContact(contact) && (contact.email !== email || contact.phone !== phone),
  );

  return [
    ...(registrar ? [{ source: 'registrar' as const, name, email, phone }] : []),
    ...(other ? [{ source: 'registry' as const, ...other }] : []),
  ];
}

/** Returns the distinct contacts with the role `abuse` of entities, and of those inside them. */
function abuseContactsIn(entities: readonly RelatedEntity[]): readonly AbuseContact[] {
  const found = entities.flatMap(({ contact, entities: inner }) => [
    ...(isAbuseContact(contact) ? [contact] : []),
    ...abuseContactsIn(inner),
  ]);
  return [...new Map(found.map((each) => [`${each.email} ${each.phone}`, each])).values()];
}

function isAbuseContact({ roles, email, phone }: Contact): boolean {
  return roles.includes('abuse') && (email ?? phone) !== undefined;
}
