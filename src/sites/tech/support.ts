import type { Product } from './technology-rule.ts';

export const supportProducts: readonly Product[] = [
  {
    id: 'intercom',
    name: 'Intercom',
    rules: [
      { scriptHost: 'widget.intercom.io' },
      { scriptHost: 'js.intercomcdn.com' },
      { cookiePrefix: 'intercom-id-' },
    ],
  },
  {
    id: 'zendesk',
    name: 'Zendesk',
    rules: [
      { scriptHost: 'static.zdassets.com' },
      { header: 'x-zendesk-origin-server' },
      { host: 'zendesk.com' },
      { cname: 'zendesk.com' },
    ],
  },
  {
    id: 'freshchat',
    name: 'Freshworks',
    rules: [
      { scriptHost: 'wchat.freshchat.com' },
      { scriptHost: 'widget.freshworks.com' },
      { cname: 'freshdesk.com' },
    ],
  },
  {
    id: 'drift',
    name: 'Drift',
    rules: [{ scriptHost: 'js.driftt.com' }],
  },
  {
    id: 'crisp',
    name: 'Crisp',
    rules: [{ scriptHost: 'client.crisp.chat' }],
  },
  {
    id: 'tawk-to',
    name: 'tawk.to',
    rules: [{ scriptHost: 'embed.tawk.to' }],
  },
  {
    id: 'livechat',
    name: 'LiveChat',
    rules: [{ scriptHost: 'cdn.livechatinc.com' }],
  },
  {
    id: 'tidio',
    name: 'Tidio',
    rules: [{ scriptHost: 'code.tidio.co' }],
  },
  {
    id: 'olark',
    name: 'Olark',
    rules: [{ scriptHost: 'static.olark.com' }],
  },
  {
    id: 'userlike',
    name: 'Userlike',
    rules: [{ scriptHost: 'userlike-cdn-widgets.s3-eu-west-1.amazonaws.com' }],
  },
  {
    id: 'help-scout',
    name: 'Help Scout',
    rules: [{ scriptHost: 'beacon-v2.helpscout.net' }],
  },
];
