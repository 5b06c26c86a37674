import type { Product } from './technology-rule.ts';

export const serverProducts: readonly Product[] = [
  {
    id: 'nginx',
    name: 'nginx',
    rules: [{ header: 'server', product: 'nginx' }],
  },
  {
    id: 'apache',
    name: 'Apache HTTP Server',
    rules: [
      { header: 'server', product: 'Apache', except: ['Apache Tomcat', 'Apache Traffic Server'] },
    ],
  },
  {
    id: 'openresty',
    name: 'OpenResty',
    rules: [{ header: 'server', product: 'openresty' }],
  },
  {
    id: 'iis',
    name: 'Microsoft IIS',
    rules: [{ header: 'server', product: 'Microsoft-IIS' }],
  },
  {
    id: 'litespeed',
    name: 'LiteSpeed',
    rules: [{ header: 'server', prefix: 'LiteSpeed' }, { header: 'x-litespeed-cache' }],
  },
  {
    id: 'caddy',
    name: 'Caddy',
    rules: [
      { header: 'server', product: 'Caddy' },
      { header: 'via', product: 'Caddy' },
    ],
  },
  {
    id: 'envoy',
    name: 'Envoy',
    rules: [
      { header: 'server', prefix: 'envoy' },
      { header: 'server', prefix: 'istio-envoy' },
      { header: 'x-envoy-upstream-service-time' },
    ],
  },
  {
    id: 'varnish',
    name: 'Varnish',
    rules: [{ header: 'via', product: 'varnish' }, { header: 'x-varnish' }],
  },
  {
    id: 'lighttpd',
    name: 'lighttpd',
    rules: [{ header: 'server', product: 'lighttpd' }],
  },
  {
    id: 'tengine',
    name: 'Tengine',
    rules: [{ header: 'server', product: 'Tengine' }],
    implies: ['nginx'],
  },
  {
    id: 'gunicorn',
    name: 'Gunicorn',
    rules: [{ header: 'server', product: 'gunicorn' }],
    implies: ['python'],
  },
  {
    id: 'uvicorn',
    name: 'Uvicorn',
    rules: [{ header: 'server', product: 'uvicorn' }],
    implies: ['python'],
  },
  {
    id: 'werkzeug',
    name: 'Werkzeug',
    rules: [{ header: 'server', product: 'Werkzeug' }],
    implies: ['python'],
  },
  {
    id: 'jetty',
    name: 'Eclipse Jetty',
    rules: [
      { header: 'server', prefix: 'Jetty' },
      { header: 'server', product: 'Jetty' },
    ],
    implies: ['java'],
  },
  {
    id: 'tomcat',
    name: 'Apache Tomcat',
    // `Apache-Coyote/1.1` has the version of the connector.
    rules: [
      { header: 'server', prefix: 'Apache Tomcat' },
      { header: 'server', includes: 'Apache-Coyote' },
    ],
    implies: ['java'],
  },
  {
    id: 'apache-traffic-server',
    name: 'Apache Traffic Server',
    rules: [
      { header: 'server', product: 'ATS' },
      { header: 'server', prefix: 'Apache Traffic Server' },
      { header: 'via', product: 'ApacheTrafficServer' },
    ],
  },
  {
    id: 'phusion-passenger',
    name: 'Phusion Passenger',
    rules: [
      { header: 'x-powered-by', includes: 'Phusion Passenger' },
      { header: 'server', includes: 'Phusion Passenger' },
    ],
  },
  {
    id: 'kestrel',
    name: 'Kestrel',
    rules: [{ header: 'server', prefix: 'Kestrel' }],
    implies: ['asp-net-core'],
  },
  {
    id: 'puma',
    name: 'Puma',
    rules: [{ header: 'server', product: 'puma' }],
    implies: ['ruby'],
  },
  {
    id: 'traefik',
    name: 'Traefik',
    rules: [{ header: 'server', prefix: 'Traefik' }],
  },
  {
    id: 'google-web-server',
    name: 'Google Web Server',
    rules: [
      { header: 'server', prefix: 'gws' },
      { header: 'server', prefix: 'ESF' },
    ],
  },
  {
    id: 'cherokee',
    name: 'Cherokee',
    rules: [{ header: 'server', product: 'Cherokee' }],
  },
];
