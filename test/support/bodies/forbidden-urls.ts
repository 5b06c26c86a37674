import { hostname } from 'node:os';

export type Scheme = 'http' | 'https';
/**
 * Returns a URL that an untrusted source may contain, for a scheme and the port of a server that
 * must not be reached.
 */
export type Spelling = (scheme: Scheme, port: number) => string;

/** URLs that lead to this machine, as a careless client would interpret them. */
export const loopbackSpellings: readonly Spelling[] = [
  ...words`127.0.0.1 127.0.0.2 127.1 127.0.1 127.1.1.1 127.255.255.254 127.000.000.001 127.0.0.1.`,
  ...words`2130706433 2130706433. 017700000001 0x7f000001 0x7F000001 0X7f000001 0x7f000001. 00000000017700000001 0x0000000007f000001`,
  ...words`0177.0.0.1 0177.0.0.01 0177.1 0x7f.1 0x7f.0.1 0x7f.0.0.1 0x7F.0x0.0x0.0x1 127.0x0.0.1 0000177.00.00.01 0x7f.0.0x1 127.0x000001`,
  ...words`%31%32%37.0.0.1 127%2e0%2e0%2e1 %30x7f.1 １２７.０.０.１ １２７．０．０．１ 127。0。0。1 127｡0｡0｡1 ①②⑦.⓪.⓪.① 𝟏𝟐𝟕.𝟎.𝟎.𝟏 𝟙𝟚𝟟.𝟘.𝟘.𝟙 ¹²⁷.⁰.⁰.¹ ₁₂₇.₀.₀.₁ ０ｘ７ｆ.1`,
  ...words`0 00 0x0 0.0 0.0.0 0.0.0.0 0x0.0x0.0.0 0.0.0.0. ０`,
  ...words`[::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001] [0::1] [::0:1] [::] [0::0] [0:0:0:0:0:0:0:0]`,
  ...words`[::ffff:127.0.0.1] [::FFFF:127.0.0.1] [::ffff:7f00:1] [::ffff:7F00:0001] [0:0:0:0:0:ffff:127.0.0.1] [::ffff:0.0.0.0] [::ffff:127.255.255.254]`,
  ...words`localhost LOCALHOST LocalHost localhost. LOCALHOST. %6cocalhost loc%61lhost ｌｏｃａｌｈｏｓｔ ⓛⓞⓒⓐⓛⓗⓞⓢⓣ 𝓵𝓸𝓬𝓪𝓵𝓱𝓸𝓼𝓽 local\u00adhost local\u200bhost`,
  ...words`a.localhost ip6-localhost ip6-loopback localhost.localdomain ${hostname()}`,
  (scheme, port) => `${scheme}:/127.0.0.1:${port}/`,
  (scheme, port) => `${scheme}:///127.0.0.1:${port}/`,
  (scheme, port) => `${scheme}:////127.0.0.1:${port}/`,
  (scheme, port) => `${scheme}:\\\\127.0.0.1:${port}\\`,
  (scheme, port) => `${scheme}:/\\127.0.0.1:${port}/`,
  (scheme, port) => `${scheme.toUpperCase()}://127.0.0.1:${port}/`,
  (scheme, port) => `${scheme}://127.0.0.1:0${port}/`,
  (scheme, port) => `${scheme}://127.0.\t0.1:${port}/`,
  (scheme, port) => `${scheme}://127.0.0.1:${port}\\@rdap.invalid/`,
  (scheme, port) => `${scheme}://127.0.0.1:${port}/@rdap.invalid/`,
  (scheme, port) => `${scheme}://127.0.0.1:${port}/?@rdap.invalid/`,
  (scheme, port) => `${scheme}://127.0.0.1:${port}/#@rdap.invalid/`,
  (scheme, port) => `${scheme}://127.0.0.1:${port}/../../`,
];

/** URLs that lead to other forbidden addresses, and invalid ones. */
export const otherSpellings: readonly Spelling[] = [
  // With a user name or password before the address.
  ...words`user@127.0.0.1 user:secret@127.0.0.1 rdap.invalid@127.0.0.1 rdap.invalid:443@127.0.0.1 :@127.0.0.1 rdap.invalid%40127.0.0.1 user@[::1]`,
  (scheme, port) => `${scheme}://rdap.invalid#@127.0.0.1:${port}/`,
  (scheme, port) => `${scheme}://rdap.invalid?@127.0.0.1:${port}/`,
  (scheme, port) => `${scheme}://rdap.invalid\\@127.0.0.1:${port}/`,
  // Private networks.
  ...words`10.0.0.1 10.1 10.255.255.255 012.0.0.1 0xa.0.0.1 0x0a000001 167772161 172.16.0.1 172.31.255.255 0xac100001 2886729729 0254.020.0.1`,
  ...words`192.168.0.1 192.168.1 192.168.255.255 0xc0a80001 3232235521 0300.0250.0.1 １９２.１６８.０.１ 0xc0.0xa8.0.1`,
  // Link-local, and the cloud's metadata.
  ...words`169.254.169.254 169.254.0.1 0xa9fea9fe 2852039166 0251.0376.0251.0376 169.254.43518 169.16689662 0xa9.254.0251.254 169。254。169。254`,
  // Carrier-grade NAT, protocol assignments, documentation, benchmarking, relays, multicast, reserved.
  ...words`100.64.0.1 100.100.100.200 100.127.255.254 0x64400001 192.0.0.1 192.0.0.8 192.0.0.170 192.0.2.1 198.51.100.1 203.0.113.1 0xcb007101`,
  ...words`198.18.0.1 198.19.255.255 192.88.99.1 192.31.196.1 192.52.193.1 192.175.48.1 0.1.2.3 0.255.255.255`,
  ...words`224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.254 255.255.255.255 4294967295 0xffffffff 037777777777`,
  // IPv4 within IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP.
  ...words`[::ffff:10.0.0.1] [::ffff:a00:1] [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [::ffff:192.168.0.1] [::ffff:172.16.0.1] [::ffff:8.8.8.8]`,
  ...words`[::127.0.0.1] [::7f00:1] [::169.254.169.254] [::10.0.0.1] [::ffff:0:127.0.0.1] [::ffff:0:7f00:1]`,
  ...words`[64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::a9fe:a9fe] [64:ff9b::10.0.0.1] [64:ff9b:1::7f00:1] [64:ff9b:1:ffff::a00:1] [0064:ff9b:0:0:0:0:127.0.0.1]`,
  ...words`[2002:7f00:1::] [2002:7f00:1::1] [2002:a9fe:a9fe::1] [2002:a00:1::1] [2002:c0a8:1::1] [2002:7F00:0001:0:0:0:0:1]`,
  ...words`[2001::1] [2001:0:7f00:1::1] [2001:0:4136:e378:8000:63bf:80ff:fffe] [fe80::5efe:127.0.0.1] [2001:db8::5efe:7f00:1]`,
  // Unique-local, link-local, site-local, with zones, multicast, documentation, unassigned.
  ...words`[fc00::1] [fd00::1] [fd00:ec2::254] [fd12:3456:789a::1] [fdff:ffff:ffff::1] [FD00::1] [fe80::1] [fe80::7f00:1] [fe90::1] [febf::1] [fec0::1] [feff::1]`,
  ...words`[fe80::1%lo] [fe80::1%25lo] [fe80::1%25eth0] [fe80::1%1] [::1%25lo] [::1%lo] [::1%251]`,
  ...words`[ff01::1] [ff02::1] [ff02::fb] [ff05::2] [ff0e::1] [2001:db8::1] [3fff::1] [3fff:fff::1] [2001:2::1] [2001:10::1] [2001:20::1] [100::1] [::2] [1::1] [4000::1] [5f00::1] [e000::1]`,
  // Invalid.
  ...words`127.0.0.1.0 256.0.0.1 127.0.0.0x 0x7g.1 [127.0.0.1] [::1 ::1 [::1]x [[::1]] 127.0.0.1:80 [::ffff:127.1] 1.2.3.4.5 .127.0.0.1 127..1 -127.0.0.1`,
];

/** Returns a URL for each word as its host. */
function words(hosts: TemplateStringsArray, ...values: readonly string[]): readonly Spelling[] {
  return String.raw({ raw: hosts }, ...values)
    .split(' ')
    .map((host) => (scheme: Scheme, port: number) => `${scheme}://${host}:${port}/`);
}
