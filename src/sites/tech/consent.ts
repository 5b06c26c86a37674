import type { Product } from './technology-rule.ts';

export const consentProducts: readonly Product[] = [
  {
    id: 'onetrust',
    name: 'OneTrust',
    rules: [{ scriptHost: 'cdn.cookielaw.org' }, { cookie: 'OptanonConsent' }],
  },
  {
    id: 'cookiebot',
    name: 'Cookiebot',
    rules: [{ scriptHost: 'consent.cookiebot.com' }],
  },
  {
    id: 'usercentrics',
    name: 'Usercentrics',
    rules: [{ scriptHost: 'app.usercentrics.eu' }, { scriptHost: 'web.cmp.usercentrics.eu' }],
  },
  {
    id: 'trustarc',
    name: 'TrustArc',
    rules: [{ scriptHost: 'consent.trustarc.com' }],
  },
  {
    id: 'didomi',
    name: 'Didomi',
    rules: [{ scriptHost: 'sdk.privacy-center.org' }],
  },
  {
    id: 'osano',
    name: 'Osano',
    rules: [{ scriptHost: 'cmp.osano.com' }],
  },
];
