// cspell:disable (texts of servers)
/** What a reply states; absent members are not stated. */
export interface Stated {
  readonly registrar?: { name?: string; ianaId?: string; url?: string };
  readonly created?: string;
  readonly updated?: string;
  readonly expires?: string;
  readonly nameservers?: readonly string[];
  readonly statuses?: readonly string[];
  readonly signed?: boolean;
  readonly organization?: string;
}

const hosts = ['ns1.example.com', 'ns2.example.com'];

const byName: Readonly<Record<string, { readonly reply: string; readonly stated: Stated }>> = {
  'beispiel.cn': {
    reply: `Domain Name: beispiel.cn
ROID: 20190311s10001s00033999-cn
Domain Status: clientDeleteProhibited
Domain Status: ok
Registrant: A Person
Registrant Contact Email: someone@example.com
Sponsoring Registrar: 示例注册有限公司
Name Server: ns1.example.com
Name Server: ns2.example.com
Registration Time: 2003-03-17 12:20:05
Expiration Time: 2027-03-17 12:48:36
DNSSEC: unsigned`,
    stated: {
      registrar: { name: '示例注册有限公司' },
      created: '2003-03-17T04:20:05.000Z',
      expires: '2027-03-17T04:48:36.000Z',
      nameservers: hosts,
      statuses: ['client delete prohibited', 'active'],
      signed: false,
    },
  },
  'xn--6qq79v.xn--fiqs8s': {
    reply: `Domain Name: 你好.中国
Puny Name: xn--6qq79v.xn--fiqs8s
Domain Name: 你好.中國
Puny Name: xn--6qq79v.xn--fiqz9s
ROID: 20190311s10001s00033999-cn
Sponsoring Registrar: Example Registrar
Registration Time: 2004-08-08 22:27:10
DNSSEC: signedDelegation`,
    stated: {
      registrar: { name: 'Example Registrar' },
      created: '2004-08-08T14:27:10.000Z',
      signed: true,
    },
  },
  'primer.ru': {
    reply: `domain:        PRIMER.RU
nserver:       ns1.example.com.
nserver:       ns2.primer.ru. 192.0.2.1, 2001:db8::1
state:         REGISTERED, NOT DELEGATED, UNVERIFIED
org:${'           '}
registrar:     EXAMPLE-RU
created:       2004-03-03T21:00:00Z
paid-till:     2027-03-04T21:00:00Z
free-date:     2027-04-05
source:        TCI

Last updated on 2026-07-12T12:33:01Z`,
    stated: {
      registrar: { name: 'EXAMPLE-RU' },
      created: '2004-03-03T21:00:00.000Z',
      expires: '2027-03-04T21:00:00.000Z',
      nameservers: ['ns1.example.com', 'ns2.primer.ru'],
    },
  },
  'esempio.it': {
    reply: `Domain:             esempio.it
Status:             clientDeleteProhibited / clientUpdateProhibited
Signed:             yes
Created:            2025-08-06 16:00:04
Last Update:        2026-02-09 12:43:25
Expire Date:        2026-08-06

Registrant
  Organization:     Mario Rossi
  Created:          2018-03-02 19:04:02
  Last Update:      2018-03-02 19:04:02

Registrar
  Organization:     Registrar Esempio S.r.l.
  Name:             ESEMPIO-REG
  Web:              https://registrar.example/
  DNSSEC:           no


Nameservers
  ns1.example.com
  ns2.example.com
`,
    stated: {
      registrar: { name: 'Registrar Esempio S.r.l.', url: 'https://registrar.example/' },
      created: '2025-08-06T14:00:04.000Z',
      updated: '2026-02-09T11:43:25.000Z',
      expires: '2026-08-06T00:00:00.000Z',
      nameservers: hosts,
      statuses: ['client delete prohibited', 'client update prohibited'],
      signed: true,
    },
  },
  'exemplo.pt': {
    reply: `Domain: exemplo.pt
Domain Status: Registered
Creation Date: 09/01/2003 10:00:00
Expiration Date: 06/05/2031 23:59:09
Owner Name: Exemplo, Lda
Admin Name: Registrar Lda

Name Server: ns1.example.com | IPv4: 192.0.2.1 and IPv6:${' '}
Name Server: ns2.example.com | IPv4:  and IPv6:${' '}`,
    stated: {
      created: '2003-01-09T10:00:00.000Z',
      expires: '2031-05-06T22:59:09.000Z',
      nameservers: hosts,
    },
  },
  'rei.jp': {
    reply: `Domain Information:
[Domain Name]                   REI.JP

[Registrant]                    A Person

[Name Server]                   ns1.example.com
[Name Server]                   ns2.example.com
[Signing Key]                    

[Created on]                    2005/05/30
[Expires on]                    2027/05/31
[Status]                        Active
[Last Updated]                  2026/06/01 01:05:03 (JST)

Contact Information:
[Name]                          A Person
[Email]                         someone@example.jp`,
    stated: {
      created: '2005-05-30T00:00:00.000Z',
      updated: '2026-05-31T16:05:03.000Z',
      expires: '2027-05-31T00:00:00.000Z',
      nameservers: hosts,
      signed: false,
    },
  },
  'rei.co.jp': {
    reply: `Domain Information:
a. [Domain Name]                REI.CO.JP
g. [Organization]               Rei Example Corporation
l. [Organization Type]          Corporation
m. [Administrative Contact]     XX00001JP
p. [Name Server]                ns1.example.com
p. [Name Server]                ns2.example.com
s. [Signing Key]                12345 8 2 (
[State]                         Connected (2027/09/30)
[Registered Date]               2019/09/27
[Connected Date]                2019/09/28
[Last Update]                   2026/10/01 01:00:44 (JST)`,
    stated: {
      created: '2019-09-27T00:00:00.000Z',
      updated: '2026-09-30T16:00:44.000Z',
      expires: '2027-09-30T00:00:00.000Z',
      nameservers: hosts,
      signed: true,
      organization: 'Rei Example Corporation',
    },
  },
  'nemoone.ir': {
    reply: `domain:		nemoone.ir
ascii:		nemoone.ir
remarks:	(Domain Holder) A Person
bill-c:		xx1-irnic
nserver:	ns1.example.com
nserver:	ns2.example.com
last-updated:	2026-03-06
expire-date:	2028-10-16
source:		IRNIC # Filtered`,
    stated: {
      updated: '2026-03-06T00:00:00.000Z',
      expires: '2028-10-16T00:00:00.000Z',
      nameservers: hosts,
    },
  },
  'beispiel.at': {
    reply: `domain:         beispiel.at
registrar:      Registrar GmbH ( https://nic.at/registrar/1 )
registrant:     AB1-NICAT
nserver:        ns1.example.com
nserver:        ns2.example.com
changed:        20241113 19:36:02
source:         AT-DOM

personname:     A Person
organization:   Beispiel GmbH
nic-hdl:        AB1-NICAT
changed:        20180302 18:52:05
source:         AT-DOM`,
    stated: {
      registrar: { name: 'Registrar GmbH', url: 'https://nic.at/registrar/1' },
      updated: '2024-11-13T18:36:02.000Z',
      nameservers: hosts,
    },
  },
  'winkel.co.za': {
    reply: `Domain Name: winkel.co.za
Registry Domain ID: 1aaaa_DOMAIN-CO.ZA
Registrar URL: https://registrar.example/
Updated Date: 2026-05-24T10:24:57Z
Creation Date: 2001-06-25T20:37:59Z
Registry Expiry Date: 2027-06-25T20:37:59Z
Registrar: Registrar
Registrar IANA ID: 292
Reseller:${' '}
Domain Status: serverDeleteProhibited https://icann.org/epp#serverDeleteProhibited
Registrant Organization: Winkel
Name Server: ns1.example.com
Name Server: ns2.example.com
DNSSEC: unsigned`,
    stated: {
      registrar: { name: 'Registrar', ianaId: '292', url: 'https://registrar.example/' },
      created: '2001-06-25T20:37:59.000Z',
      updated: '2026-05-24T10:24:57.000Z',
      expires: '2027-06-25T20:37:59.000Z',
      nameservers: hosts,
      statuses: ['server delete prohibited'],
      signed: false,
    },
  },
  'ejemplo.mx': {
    reply: `Domain Name:       ejemplo.mx

Created On:        2009-05-12
Expiration Date:   2027-05-11
Last Updated On:   2026-04-12
Registrar:         Registrar
URL:               http://registrar.example/

Registrant:
   Name:           A Person

Name Servers:
   DNS:            ns1.example.com       
   DNS:            ns2.example.com 192.0.2.1

DNSSEC DS Records:


`,
    stated: {
      registrar: { name: 'Registrar', url: 'http://registrar.example/' },
      created: '2009-05-12T00:00:00.000Z',
      updated: '2026-04-12T00:00:00.000Z',
      expires: '2027-05-11T00:00:00.000Z',
      nameservers: hosts,
      signed: false,
    },
  },
  'ornek.com.tr': {
    reply: `** Domain Name: ornek.com.tr
Domain Status: Active
Frozen Status: -

** Registrant:
   A Person
   Hidden upon user request

** Registrar:
NIC Handle		: abc40
Organization Name	: Örnek Bilişim A.Ş.
Address			: Örnek Mah. 1. Sok.
			  06000 Ankara Türkiye

** Domain Servers:
ns1.example.com
ns2.example.com 192.0.2.1

** Additional Info:
Created on..............: 2006-Dec-28.
Expires on..............: 2026-Dec-27.

** Whois Server:
Last Update Time: 2026-07-12T13:32:13+03:00`,
    stated: {
      registrar: { name: 'Örnek Bilişim A.Ş.' },
      created: '2006-12-28T00:00:00.000Z',
      expires: '2026-12-27T00:00:00.000Z',
      nameservers: hosts,
    },
  },
  'eksempel.dk': {
    reply: `# Hello 192.0.2.1. Your session has been logged.

Domain:               eksempel.dk
DNS:                  eksempel.dk
Registered:           1999-01-10
Expires:              2027-03-31
Registrar:            Registrar A/S
Registration period:  1 year
VID:                  no
DNSSEC:               Unsigned delegation, DNSSEC disabled, no records
Status:               Active

Nameservers
Hostname:             ns1.example.com
Hostname:             ns2.example.com`,
    stated: {
      registrar: { name: 'Registrar A/S' },
      created: '1999-01-10T00:00:00.000Z',
      expires: '2027-03-31T00:00:00.000Z',
      nameservers: hosts,
      signed: false,
    },
  },
  'yesi.kr': {
    reply: `# KOREAN(UTF8)

도메인이름                  : yesi.kr
DNSSEC                      : 미서명

# ENGLISH

Domain Name                 : yesi.kr
Registrant                  : A Person
Registered Date             : 2007. 03. 02.
Last Updated Date           : 2026. 04. 15.
Expiration Date             : 2027. 03. 02.
Authorized Agency           : Registrar Co., Ltd.(http://registrar.example)
DNSSEC                      : unsigned
Domain Status               : clientTransferProhibited

Primary Name Server
   Host Name                : ns1.example.com

Secondary Name Server
   Host Name                : ns2.example.com`,
    stated: {
      registrar: { name: 'Registrar Co., Ltd.', url: 'http://registrar.example' },
      created: '2007-03-02T00:00:00.000Z',
      updated: '2026-04-15T00:00:00.000Z',
      expires: '2027-03-02T00:00:00.000Z',
      nameservers: hosts,
      statuses: ['client transfer prohibited'],
      signed: false,
    },
  },
  'pelda.hu': {
    reply: 'domain:         pelda.hu\nrecord created: 1996-06-27 13:36:21',
    stated: { created: '1996-06-27T11:36:21.000Z' },
  },
  'contoh.my': {
    reply: `Domain Name: contoh.my
Registry Domain ID: D1-MY
Registrar: Registrar
Registrar IANA ID: not applicable
Creation Date: 2001-06-25T20:37:59.123Z
Registrant Organization: A Person`,
    stated: { registrar: { name: 'Registrar' }, created: '2001-06-25T20:37:59.123Z' },
  },
  'tauira.co.nz': {
    reply: `Domain Name: tauira.co.nz
Creation Date: 2002-04-10T23:04:03Z
Original Created: 1999-02-16T11:00:00Z
Registrar: Registrar
DNSSEC: signedDelegation`,
    stated: { registrar: { name: 'Registrar' }, created: '2002-04-10T23:04:03.000Z', signed: true },
  },
  'ejemplo.cl': {
    reply: `Domain name: ejemplo.cl
Registrant name: A Person
Registrant organisation:${' '}
Registrar name: Registrar
Registrar URL: https://www.registrar.example
Creation date: 2012-05-14 09:10:11 CLT
Expiration date: 2026-11-20 14:48:02 CLST
Name server: ns1.example.com
Name server: ns2.example.com`,
    stated: {
      registrar: { name: 'Registrar', url: 'https://www.registrar.example' },
      created: '2012-05-14T13:10:11.000Z',
      expires: '2026-11-20T17:48:02.000Z',
      nameservers: hosts,
    },
  },
  'vzor.sk': {
    reply: `Domain:                       vzor.sk
Created:                      2003-07-24
Valid Until:                  2027-07-24
Updated:                      2026-06-22
Domain Status:                clientTransferProhibited, clientUpdateProhibited
Nameserver:                   ns1.example.com
Nameserver:                   ns2.example.com
DNSSEC:                       Yes

Domain registrant:            xx-1
Name:                         A Person
Organization:                 Vzor s.r.o.
Created:                      2019-06-07
Updated:                      2019-06-07

Registrar:                    REG-1
Name:                         Registrar
Organization:                 Registrar s.r.o.
Created:                      2018-06-27
Updated:                      2026-06-30`,
    stated: {
      registrar: { name: 'Registrar s.r.o.' },
      created: '2003-07-24T00:00:00.000Z',
      updated: '2026-06-22T00:00:00.000Z',
      expires: '2027-07-24T00:00:00.000Z',
      nameservers: hosts,
      statuses: ['client transfer prohibited', 'client update prohibited'],
      signed: true,
    },
  },
  'mithal.ae': {
    reply: `Domain Name:                     mithal.ae
Registrar ID:                    registrar
Registrar Name:                  Registrar
Status:                          ok

Registrant Contact Name:         A Person

Name Server:                     ns1.example.com
Name Server:                     ns2.example.com`,
    stated: { registrar: { name: 'Registrar' }, nameservers: hosts, statuses: ['active'] },
  },
  'sampla.ie': {
    reply: `Domain Name: sampla.ie
Registry Domain ID: 1-IEDR
Registrar: Registrar
Registrar IANA ID: not applicable
Registry Expiry Date: 2027-03-21T14:13:27Z
Registrant Name: A Person`,
    stated: { registrar: { name: 'Registrar' }, expires: '2027-03-21T14:13:27.000Z' },
  },
  'dugma.co.il': {
    reply: `reg-name:     dugma
domain:       dugma.co.il

descr:        A Person
descr:        2 Example St.
admin-c:      ZZ-AA1-IL
nserver:      ns1.example.com${' '}
nserver:      ns2.example.com${' '}
assigned:     11-01-1996
validity:     11-01-2029
DNSSEC:       signed
status:       Transfer Locked
changed:      domain-registrar AT isoc.org.il 19960111 (Assigned)
changed:      domain-registrar AT isoc.org.il 20250526 (Changed)

person:       A Person
changed:      Managing Registrar 20160728

registrar name: Registrar Ltd
registrar info: http://registrar.example/`,
    stated: {
      registrar: { name: 'Registrar Ltd', url: 'http://registrar.example/' },
      created: '1996-01-11T00:00:00.000Z',
      updated: '2025-05-26T00:00:00.000Z',
      expires: '2029-01-11T00:00:00.000Z',
      nameservers: hosts,
      signed: true,
    },
  },
  'misaal.pk': { reply: '    Domain: misaal.pk\n    Status: Domain is Registered', stated: {} },
  'mithal.com.sa': {
    reply: `Domain Name: mithal.com.sa

 Registrant:
 A Person

 Name Servers:
  ns1.example.com
  ns2.example.com

Created on: 2000-09-11`,
    stated: { created: '2000-09-11T00:00:00.000Z', nameservers: hosts },
  },
  'magaliti.ge': {
    reply: `Domain Name: MAGALITI.GE
Registrar: Registrar LLC
Creation Date: 2010-05-04T00:00:00Z
Name Server: NS1.EXAMPLE.COM
Name Server: NS2.EXAMPLE.COM`,
    stated: {
      registrar: { name: 'Registrar LLC' },
      created: '2010-05-04T00:00:00.000Z',
      nameservers: hosts,
    },
  },
  'name.ge': {
    reply: `   Domain Name: NAME.GE
   Registrar: Registrar LLC
Creation Date: 2006-07-28`,
    stated: { registrar: { name: 'Registrar LLC' }, created: '2006-07-28T00:00:00.000Z' },
  },
};

/** Invented registrations in the layouts of the servers, with the values that must be read. */
export const recordReplies = Object.entries(byName).map(([name, row]) => ({ name, ...row }));
