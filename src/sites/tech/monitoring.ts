import type { Product } from './technology-rule.ts';

export const monitoringProducts: readonly Product[] = [
  {
    id: 'new-relic',
    name: 'New Relic',
    rules: [{ scriptHost: 'js-agent.newrelic.com' }],
  },
  {
    id: 'sentry',
    name: 'Sentry',
    rules: [{ scriptHost: 'browser.sentry-cdn.com' }, { scriptHost: 'js.sentry-cdn.com' }],
  },
  {
    id: 'datadog-rum',
    name: 'Datadog RUM',
    rules: [{ scriptHost: 'datadoghq-browser-agent.com' }],
  },
];
