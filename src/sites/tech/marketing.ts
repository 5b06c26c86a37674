import type { Product } from './technology-rule.ts';

export const marketingProducts: readonly Product[] = [
  {
    id: 'hubspot',
    name: 'HubSpot',
    rules: [
      { generator: 'HubSpot' },
      { scriptHost: 'js.hs-scripts.com' },
      { scriptHost: 'js.hs-analytics.net' },
      { scriptHost: 'js.hsforms.net' },
      { cookie: 'hubspotutk' },
      { cookie: '__hstc' },
      { header: 'x-hs-hub-id' },
    ],
  },
  {
    id: 'mailchimp',
    name: 'Mailchimp',
    rules: [{ scriptHost: 'chimpstatic.com' }, { scriptHost: 'list-manage.com' }],
  },
  {
    id: 'klaviyo',
    name: 'Klaviyo',
    rules: [{ scriptHost: 'static.klaviyo.com' }],
  },
  {
    id: 'marketo',
    name: 'Marketo',
    rules: [{ scriptHost: 'munchkin.marketo.net' }, { cookie: '_mkto_trk' }],
  },
  {
    id: 'meta-pixel',
    name: 'Meta Pixel',
    rules: [{ scriptFile: 'fbevents' }, { cookie: '_fbp' }],
  },
  {
    id: 'linkedin-insight',
    name: 'LinkedIn Insight Tag',
    rules: [{ scriptHost: 'snap.licdn.com' }],
  },
  {
    id: 'tiktok-pixel',
    name: 'TikTok Pixel',
    rules: [{ scriptHost: 'analytics.tiktok.com' }, { cookie: '_ttp' }],
  },
  {
    id: 'microsoft-advertising',
    name: 'Microsoft Advertising',
    rules: [{ scriptHost: 'bat.bing.com' }, { cookie: '_uetsid' }, { cookie: '_uetvid' }],
  },
  {
    id: 'google-ads',
    name: 'Google Ads',
    rules: [
      { scriptHost: 'googleadservices.com' },
      { scriptHost: 'googletagmanager.com', path: '/gtag/js', parameter: 'id=AW-' },
      { cookie: '_gcl_au' },
    ],
  },
  {
    id: 'google-adsense',
    name: 'Google AdSense',
    rules: [{ scriptHost: 'pagead2.googlesyndication.com' }, { meta: 'google-adsense-account' }],
  },
  {
    id: 'criteo',
    name: 'Criteo',
    rules: [{ scriptHost: 'static.criteo.net' }],
  },
  {
    id: 'brevo',
    name: 'Brevo',
    rules: [{ scriptHost: 'cdn.brevo.com' }, { scriptHost: 'sibforms.com' }],
  },
];
