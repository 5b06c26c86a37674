/** Returns replies in the documented format of some WHOIS servers. */
export const whoisReplies = {
  at: {
    notFound: '% nothing found\n',
    registered: (name: string) =>
      `domain:         ${name}\nregistrar:      X\nsource:         AT-DOM\n`,
  },
  it: {
    status: (name: string, status: string) =>
      `Domain:             ${name}\nStatus:             ${status}\n`,
    registered: (name: string, status = 'ok') =>
      `\nDomain:             ${name}\nStatus:             ${status}\nCreated:            2001-02-03 04:05:06\n`,
  },
  my: {
    notFound: (name: string) => `>>> Domain ${name} is available for registration\n`,
    registered: (name: string) => `Domain Name: ${name}\nRegistry Domain ID: D1-MY\n`,
  },
  ru: {
    notFound:
      'No entries found for the selected source(s).\n\nLast updated on 2026-11-23T10:00:00Z\n',
    registered: (name: string) =>
      `domain:        ${name.toUpperCase()}\nstate:         REGISTERED, DELEGATED, VERIFIED\n`,
  },
} as const;
