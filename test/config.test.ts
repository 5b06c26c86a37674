import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';

const readUrlWithPassword = () => readConfig({ BASE_URL: 'ftp://user:hunter2@gateway.example/' });

describe('the configuration', () => {
  it('has the documented defaults', () => {
    expect(readConfig({})).toStrictEqual({
      HOST: '127.0.0.1',
      PORT: 4000,
      BASE_URL: undefined,
      DOCS_URL: undefined,
      REGISTER_URL: undefined,
      OFFERS_FILE: undefined,
      EXPIRY_FILE: undefined,
      MCP_OAUTH_ISSUER: undefined,
      STORE_URL: 'sqlite:./data/gateway.db',
      RDAP_BOOTSTRAP_URL: 'https://data.iana.org/rdap/dns.json',
      RDAP_OVERRIDES: undefined,
      RDAP_LIMITS: undefined,
      SOURCES_FILE: undefined,
      SETS_FILE: undefined,
      DNS_FIRST: true,
      RDAP_ALLOW_PRIVATE: false,
      RDAP_RELAY: 'relay',
      RDAP_TIMEOUT_MS: 5000,
      QUEUE_TIMEOUT_MS: 5000,
      RDAP_CONCURRENCY: 8,
      RDAP_RATE: 10,
      CLUSTER_SIZE: 1,
      MAX_LOOKUPS: 500,
      MAX_TLDS: 50,
      OUTBOUND_PROXY: undefined,
      OUTBOUND_DIRECT: [],
      CHANGE_DAYS: 90,
      RECEIPT_DAYS: 30,
      ACCURACY_SAMPLE: 0,
      WATCH_LIMITS: undefined,
      WEBHOOK_ALLOW: [],
      RECORD_DAYS: 30,
      AUTH: 'auto',
      TRUSTED_PROXIES: [],
      WHOIS: true,
      FREE_CREDITS: 10_000,
      RATE_LIMIT: 600,
      METRICS_ALLOW: ['127.0.0.0/8', '::1'],
      CORS_ORIGINS: ['*'],
      INTROSPECTION: true,
      GRAPHIQL: true,
      OPERATOR_PAGE: false,
      SANDBOX: true,
      SITE_LOOKUPS: true,
      CT_SEARCH_URL: 'https://crt.sh',
      DISPOSABLE_MAIL_FILE: undefined,
      LOG_FORMAT: undefined,
      LOG_LEVEL: 'info',
    });
  });

  it.each([
    ['PORT', '0', 0],
    ['PORT', ' 8080 ', 8080],
    ['BASE_URL', 'https://api.example/gateway//', 'https://api.example/gateway'],
    ['DOCS_URL', 'https://docs.example/', 'https://docs.example'],
    ['CT_SEARCH_URL', 'off', undefined],
    ['CT_SEARCH_URL', 'OFF', undefined],
    ['CT_SEARCH_URL', 'http://search.example/', 'http://search.example'],
    ['DOCS_URL', 'https://docs.example/日本', 'https://docs.example/%E6%97%A5%E6%9C%AC'],
    [
      'REGISTER_URL',
      'https://registrar.example/?q={domain}&ref=1',
      'https://registrar.example/?q={domain}&ref=1',
    ],
    ['STORE_URL', 'memory:', 'memory:'],
    ['STORE_URL', 'sqlite:/var/lib/a b/gateway.db', 'sqlite:/var/lib/a b/gateway.db'],
    ['STORE_URL', 'sqlite:///var/lib/gateway.db', 'sqlite:///var/lib/gateway.db'],
    [
      'STORE_URL',
      'postgres://gateway:secret@db.example:5432/gateway',
      'postgres://gateway:secret@db.example:5432/gateway',
    ],
    [
      'STORE_URL',
      'postgresql://db.example/gateway?sslmode=verify-full',
      'postgresql://db.example/gateway?sslmode=verify-full',
    ],
    ['RDAP_BOOTSTRAP_URL', 'file:///etc/dns.json', 'file:///etc/dns.json'],
    ['RDAP_ALLOW_PRIVATE', 'TRUE', true],
    ['SOURCES_FILE', '/etc/sources.json', '/etc/sources.json'],
    ['DNS_FIRST', 'off', false],
    ['RDAP_RATE', '0', 0],
    ['RDAP_RATE', '2.5', 2.5],
    ['QUEUE_TIMEOUT_MS', '0', 0],
    ['CHANGE_DAYS', '7', 7],
    ['RECEIPT_DAYS', '7', 7],
    ['ACCURACY_SAMPLE', '0.01', 0.01],
    [
      'WATCH_LIMITS',
      '{"perHour":{"RDAP.example":9}}',
      { share: 0.25, perHour: { 'rdap.example': 9 } },
    ],
    ['WEBHOOK_ALLOW', 'localhost 10.0.0.0/8', ['localhost', '10.0.0.0/8']],
    ['RECORD_DAYS', '0', 0],
    [
      'CORS_ORIGINS',
      'https://a.example, http://b.example:8080',
      ['https://a.example', 'http://b.example:8080'],
    ],
    ['METRICS_ALLOW', '10.0.0.7, fd00::/8', ['10.0.0.7', 'fd00::/8']],
    ['INTROSPECTION', 'off', false],
    ['GRAPHIQL', 'off', false],
    ['OPERATOR_PAGE', 'ON', true],
    ['SANDBOX', 'off', false],
    ['LOG_LEVEL', 'silent', 'silent'],
  ])('reads %s=%s', (name, text, value) => {
    expect(readConfig({ [name]: text })).toHaveProperty(name, value);
  });

  it.each(['PORT', 'BASE_URL', 'STORE_URL', 'SANDBOX', 'CORS_ORIGINS'])(
    'treats an empty %s as unset',
    (name) => {
      expect(readConfig({ [name]: ' ' })).toEqual(readConfig({}));
    },
  );

  it('is frozen', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true);
  });

  it.each([
    ['CLUSTER_SIZE', '0', 'an integer from 1 to 1024'],
    ['CLUSTER_SIZE', '1025', 'an integer from 1 to 1024'],
    ['CLUSTER_SIZE', '1.5', 'an integer from 1 to 1024'],
    ['PORT', 'http', 'an integer from 0 to 65535'],
    ['PORT', '65536', 'an integer from 0 to 65535'],
    ['PORT', '-1', 'an integer from 0 to 65535'],
    ['PORT', '1e3', 'an integer from 0 to 65535'],
    ['BASE_URL', 'gateway.example', 'an http: or https: URL'],
    ['MCP_OAUTH_ISSUER', 'login.example', 'an http: or https: URL'],
    ['MCP_OAUTH_ISSUER', 'https://a:b@login.example', 'an http: or https: URL without a user name'],
    ['BASE_URL', 'ftp://gateway.example', 'an http: or https: URL'],
    ['BASE_URL', 'https://gateway.example/?a=1', 'an http: or https: URL without a user name'],
    ['BASE_URL', 'https://gateway.example/#top', 'an http: or https: URL without a user name'],
    ['CT_SEARCH_URL', 'http://a:b@search.example/', 'an http: or https: URL without a user name'],
    ['CT_SEARCH_URL', 'on', 'off, or an http: or https: URL'],
    ['DOCS_URL', '/docs', 'an http: or https: URL'],
    ['REGISTER_URL', 'https://registrar.example/', 'an https: URL that contains {domain}'],
    ['REGISTER_URL', 'http://registrar.example/{domain}', 'an https: URL that contains {domain}'],
    ['REGISTER_URL', 'javascript:alert("{domain}")', 'an https: URL that contains {domain}'],
    ['REGISTER_URL', '/register/{domain}', 'an https: URL that contains {domain}'],
    ['STORE_URL', 'redis://localhost', 'sqlite:PATH'],
    ['STORE_URL', 'sqlite:', 'memory:'],
    // Parsed as URLs, the next two have a host and the path /gateway.db.
    [
      'STORE_URL',
      'sqlite://./gateway.db',
      'sqlite:PATH without a host, such as sqlite:./data/gateway.db',
    ],
    [
      'STORE_URL',
      'sqlite://data/gateway.db',
      'sqlite:PATH without a host, such as sqlite:./data/gateway.db',
    ],
    ['STORE_URL', 'postgres:', 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'],
    ['RDAP_BOOTSTRAP_URL', 'dns.json', 'an https:, http: or file: URL'],
    ['RDAP_ALLOW_PRIVATE', 'yes', 'one of true, false'],
    ['RDAP_TIMEOUT_MS', '0', 'an integer from 1 to'],
    ['QUEUE_TIMEOUT_MS', '5s', 'an integer from 0 to'],
    ['RDAP_CONCURRENCY', '0', 'an integer from 1 to'],
    ['DNS_FIRST', 'never', 'one of on, off'],
    ['RDAP_RATE', 'many', 'a number of requests per second, or 0 for no limit'],
    ['RDAP_RATE', '-1', 'a number of requests per second, or 0 for no limit'],
    ['MAX_LOOKUPS', '0', 'an integer from 1 to'],
    ['MAX_TLDS', '1.5', 'an integer from 1 to'],
    ['CHANGE_DAYS', '0', 'an integer from 1 to 3650'],
    ['RECEIPT_DAYS', '0', 'an integer from 1 to 3650'],
    ['WATCH_LIMITS', '{"share":0.5}', 'a share of at most 0.25'],
    ['WATCH_LIMITS', '{', '"perHour"'],
    ['WATCH_LIMITS', '{"share":"a"}', 'a share of at most 0.25'],
    ['WATCH_LIMITS', '{"perHour":{"a":"b"}}', 'a share of at most 0.25'],
    ['WATCH_LIMITS', '{"perHour":5}', 'a share of at most 0.25'],
    ['WEBHOOK_ALLOW', 'hook.example', 'a list of addresses or networks'],
    ['RECORD_DAYS', '31', 'an integer from 0 to 30'],
    ['CORS_ORIGINS', 'app.example', 'a list of origins such as https://app.example, or *'],
    ['CORS_ORIGINS', 'https://app.example/path', 'a list of origins'],
    ['METRICS_ALLOW', 'prometheus.example', 'a list of addresses or networks'],
    ['INTROSPECTION', 'no', 'one of on, off'],
    ['GRAPHIQL', '0', 'one of on, off'],
    ['SANDBOX', 'true', 'one of on, off'],
    ['LOG_LEVEL', 'loud', 'one of fatal, error, warn, info, debug, trace, silent'],
    ['PORT', '1\n2', 'an integer'],
  ])(
    'rejects %s=%s with a one-line message that names the variable and the accepted values',
    (name, text, accepted) => {
      const read = () => readConfig({ [name]: text });
      expect(read).toThrow(ConfigError);
      expect(read).toThrow(
        new RegExp(
          `^${name} must be [^\\n]*${accepted.replaceAll('*', '\\*')}[^\\n]*, got [^\\n]*\\.$`,
        ),
      );
    },
  );

  it('omits passwords from error messages', () => {
    expect(readUrlWithPassword).toThrow('"ftp://***@gateway.example/"');
    expect(readUrlWithPassword).not.toThrow('hunter2');
  });

  it.each([
    'http//user:hunter2@proxy:3128',
    'us%40er:hunter2@proxy:3128',
    'user@corp:hunter2@proxy:3128',
    'http://user:hunter2%@proxy:3128',
    'https://user:hunter2@proxy:3128',
  ])('omits the password of an invalid OUTBOUND_PROXY: %s', (OUTBOUND_PROXY) => {
    expect(() => readConfig({ OUTBOUND_PROXY })).toThrow(ConfigError);
    expect(() => readConfig({ OUTBOUND_PROXY })).not.toThrow('hunter2');
  });

  it('reads the names of hosts and protocols in any case', () => {
    expect(readConfig({ OUTBOUND_DIRECT: 'DNS, .Corp.example' }).OUTBOUND_DIRECT).toEqual([
      'dns',
      'corp.example',
    ]);
  });

  it.each([
    'postgres:/gateway:hunter2@db.example/gateway',
    'postgres://gateway:hunter2#@db.example/gateway',
    'pg://gateway:hunter2/@db.example',
    '"postgres://gateway:hunter2@db.example/gateway"',
    'postgresql+psycopg2://gateway:hunter2@db.example/gateway',
    'postgres://one.example:5432,two.example:5432/gateway?user=gateway&password=hunter2',
    'host=db.example user=gateway password=hunter2',
  ])('omits the password of an invalid STORE_URL: %s', (STORE_URL) => {
    expect(() => readConfig({ STORE_URL })).toThrow(ConfigError);
    expect(() => readConfig({ STORE_URL })).not.toThrow('hunter2');
  });
});
