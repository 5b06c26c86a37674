import type { RelatedEntity } from '../../domain/rdap-objects.ts';
import type { Contact, Registration } from '../../domain/registration.ts';

/** To whom abuse is reported. E-mail and telephone number are undefined if none is stated. */
export interface AbuseContact {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
}

/** Whose contact it is: of the registrar, of the registry, or of a network. */
export const abuseSources = ['registrar', 'registry', 'network'] as const;
export type AbuseSource = (typeof abuseSources)[number];

/** Returns the contact of the registrar, and another one that the registry lists, if any. */
export function abuseContactsOf({
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
export function abuseContactsIn(entities: readonly RelatedEntity[]): readonly AbuseContact[] {
  const found = entities.flatMap(({ contact, entities: inner }) => [
    ...(isAbuseContact(contact) ? [contact] : []),
    ...abuseContactsIn(inner),
  ]);
  return [...new Map(found.map((each) => [`${each.email} ${each.phone}`, each])).values()];
}

function isAbuseContact({ roles, email, phone }: Contact): boolean {
  return roles.includes('abuse') && (email ?? phone) !== undefined;
}
