import { whoisControlName } from './suffixes.ts';

const header = '% WHOIS server of the .test sandbox\n\n';

/**
 * Returns the reply of the WHOIS server, which has the format of the .ru registry. The prefix of the
 * label selects it: `taken` is registered, `busy` is refused, and `unclear` is in another format.
 */
export function sandboxWhoisReply(name: string): string {
  if (name.startsWith('taken') || name === whoisControlName)
    return `${header}domain: ${name.toUpperCase()}\n${registration}`;
  if (name.startsWith('busy')) return 'You have exceeded allowed connection rate.\n';
  if (name.startsWith('unclear')) return `${header}No object matches the query.\n`;
  return `${header}No entries found for the selected source(s).\n`;
}

const registration = `nserver: ns1.example-dns.test.
state: REGISTERED, NOT DELEGATED, VERIFIED
registrar: SANDBOX-REGISTRAR
person: Private Person
e-mail: someone@example.test
created: 2001-02-03T04:05:06Z
paid-till: 2099-02-03T04:05:06Z
`;
