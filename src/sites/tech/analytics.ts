import type { Product } from './technology-rule.ts';

export const analyticsProducts: readonly Product[] = [
  {
    id: 'google-analytics',
    name: 'Google Analytics',
    rules: [
      { scriptHost: 'google-analytics.com' },
      { scriptHost: 'googletagmanager.com', path: '/gtag/js', parameter: 'id=G-' },
      { scriptHost: 'googletagmanager.com', path: '/gtag/js', parameter: 'id=UA-' },
      { cookie: '_ga' },
      { cookiePrefix: '_ga_' },
      { cookie: '_gid' },
    ],
  },
  {
    id: 'matomo',
    name: 'Matomo',
    rules: [
      { cookiePrefix: '_pk_id.' },
      { cookiePrefix: '_pk_ses.' },
      { cookiePrefix: '_pk_ref.' },
      { scriptFile: 'matomo' },
      { scriptFile: 'piwik' },
      { scriptHost: 'cdn.matomo.cloud' },
    ],
  },
  {
    id: 'plausible',
    name: 'Plausible Analytics',
    rules: [{ scriptHost: 'plausible.io' }],
  },
  {
    id: 'fathom',
    name: 'Fathom Analytics',
    rules: [{ scriptHost: 'cdn.usefathom.com' }],
  },
  {
    id: 'simple-analytics',
    name: 'Simple Analytics',
    rules: [{ scriptHost: 'scripts.simpleanalyticscdn.com' }],
  },
  {
    id: 'cloudflare-web-analytics',
    name: 'Cloudflare Web Analytics',
    rules: [{ scriptHost: 'static.cloudflareinsights.com' }],
  },
  {
    id: 'umami',
    name: 'Umami',
    rules: [{ scriptHost: 'cloud.umami.is' }],
  },
  {
    id: 'hotjar',
    name: 'Hotjar',
    rules: [
      { scriptHost: 'static.hotjar.com' },
      { scriptHost: 'script.hotjar.com' },
      { cookiePrefix: '_hjSession' },
      { cookiePrefix: '_hjSessionUser_' },
    ],
  },
  {
    id: 'microsoft-clarity',
    name: 'Microsoft Clarity',
    rules: [{ scriptHost: 'clarity.ms' }, { cookie: '_clck' }, { cookie: '_clsk' }],
  },
  {
    id: 'mixpanel',
    name: 'Mixpanel',
    rules: [{ scriptHost: 'cdn.mxpnl.com' }, { scriptHost: 'cdn.mixpanel.com' }],
  },
  {
    id: 'amplitude',
    name: 'Amplitude',
    rules: [{ scriptHost: 'cdn.amplitude.com' }],
  },
  {
    id: 'segment',
    name: 'Segment',
    rules: [{ scriptHost: 'cdn.segment.com' }, { cookie: 'ajs_anonymous_id' }],
  },
  {
    id: 'posthog',
    name: 'PostHog',
    rules: [{ scriptHost: 'i.posthog.com' }, { scriptHost: 'posthog.com' }],
  },
  {
    id: 'heap',
    name: 'Heap',
    rules: [{ scriptHost: 'cdn.heapanalytics.com' }, { scriptHost: 'heapanalytics.com' }],
  },
  {
    id: 'adobe-analytics',
    name: 'Adobe Analytics',
    rules: [{ scriptHost: 'sc.omtrdc.net' }, { scriptHost: 'omtrdc.net' }, { cookie: 's_vi' }],
  },
  {
    id: 'yandex-metrica',
    name: 'Yandex Metrica',
    rules: [{ scriptHost: 'mc.yandex.ru' }, { cookie: '_ym_uid' }],
  },
  {
    id: 'vercel-analytics',
    name: 'Vercel Web Analytics',
    rules: [{ scriptPath: '/_vercel/insights/' }],
  },
  {
    id: 'optimizely',
    name: 'Optimizely',
    rules: [{ scriptHost: 'cdn.optimizely.com' }, { cookie: 'optimizelyEndUserId' }],
  },
  {
    id: 'vwo',
    name: 'VWO',
    rules: [{ scriptHost: 'dev.visualwebsiteoptimizer.com' }, { cookie: '_vwo_uuid' }],
  },
  {
    id: 'etracker',
    name: 'etracker',
    rules: [{ scriptHost: 'code.etracker.com' }],
  },
];
