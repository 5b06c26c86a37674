import type { Product } from './technology-rule.ts';

export const securityProducts: readonly Product[] = [
  {
    id: 'recaptcha',
    name: 'reCAPTCHA',
    rules: [{ scriptHost: 'www.google.com', path: '/recaptcha/' }, { scriptHost: 'recaptcha.net' }],
  },
  {
    id: 'hcaptcha',
    name: 'hCaptcha',
    rules: [{ scriptHost: 'js.hcaptcha.com' }, { scriptHost: 'hcaptcha.com' }],
  },
  {
    id: 'turnstile',
    name: 'Cloudflare Turnstile',
    rules: [{ scriptHost: 'challenges.cloudflare.com' }],
  },
  {
    id: 'friendly-captcha',
    name: 'Friendly Captcha',
    rules: [{ scriptFile: 'friendly-challenge' }, { scriptFile: 'friendly-captcha' }],
  },
  {
    id: 'datadome',
    name: 'DataDome',
    rules: [{ header: 'x-datadome' }, { cookie: 'datadome' }, { scriptHost: 'js.datadome.co' }],
  },
  {
    id: 'human-security',
    name: 'HUMAN Bot Defender',
    rules: [{ cookie: '_pxhd' }, { cookie: '_pxvid' }, { cookie: '_px3' }],
  },
  {
    id: 'akamai-bot-manager',
    name: 'Akamai Bot Manager',
    rules: [{ cookie: 'ak_bmsc' }, { cookie: 'bm_sv' }, { cookie: '_abck' }, { cookie: 'bm_sz' }],
  },
  {
    id: 'f5-big-ip',
    name: 'F5 BIG-IP',
    rules: [{ cookiePrefix: 'BIGipServer' }, { header: 'server', prefix: 'BigIP' }],
  },
  {
    id: 'aws-waf',
    name: 'AWS WAF',
    rules: [
      { cookie: 'aws-waf-token' },
      { header: 'x-amzn-waf-action' },
      { scriptHost: 'token.awswaf.com' },
    ],
  },
];
