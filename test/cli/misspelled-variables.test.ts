import { describe, expect, it } from 'vitest';
import { readConfig, variableNames } from '../../src/config.ts';
import { misspelledVariables } from '../../src/cli/misspelled-variables.ts';

const found = (environment: Readonly<Record<string, string>>) =>
  misspelledVariables(environment, variableNames());

describe('a misspelled variable', () => {
  it.each([
    ['RDAP_TIMEOUT', 'RDAP_TIMEOUT_MS'],
    ['RDAP_OVERRIDE', 'RDAP_OVERRIDES'],
    ['RDAP_BOOTSTRAP', 'RDAP_BOOTSTRAP_URL'],
    ['QUEUE_TIMEOUT', 'QUEUE_TIMEOUT_MS'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['STORE_URI', 'STORE_URL'],
    ['PROT', 'PORT'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ])('is found, with the one that was meant: %s', (name, suggestion) => {
    expect(found({ [name]: 'x' })).toEqual([{ name, suggestion }]);
  });

  it('is found without a suggestion if it starts with RDAP_', () => {
    expect(found({ RDAP_SOMETHING_ELSE: 'x' })).toEqual([
      { name: 'RDAP_SOMETHING_ELSE', suggestion: undefined },
    ]);
  });
});

describe('no misspelling', () => {
  it('is found in the names of all settings', () => {
    expect(variableNames()).toEqual(expect.arrayContaining(Object.keys(readConfig({}))));
    expect(found(Object.fromEntries(variableNames().map((name) => [name, 'x'])))).toEqual([]);
  });

  it('is found in common variables', () => {
    const names =
      'PATH HOME PWD OLDPWD USER SHELL LANG TERM SHLVL LOGNAME MAIL EDITOR DISPLAY HOSTNAME HOSTTYPE TMPDIR TZ LC_ALL NODE_ENV NODE_OPTIONS NO_COLOR FORCE_COLOR COLORTERM DEBUG CI POSTGRES_PASSWORD GATEWAY_DOMAIN npm_config_cache INVOCATION_ID JOURNAL_STREAM OTEL_SERVICE_NAME KUBERNETES_PORT';
    expect(found(Object.fromEntries(names.split(' ').map((name) => [name, 'x'])))).toEqual([]);
  });

  it('is found in the variables that Kubernetes sets for a service named rdap', () => {
    expect(
      found({
        RDAP_SERVICE_HOST: '10.0.0.1',
        RDAP_SERVICE_PORT: '4000',
        RDAP_SERVICE_PORT_HTTP: '4000',
        RDAP_PORT: 'tcp://10.0.0.1:4000',
        RDAP_PORT_4000_TCP: 'tcp://10.0.0.1:4000',
        RDAP_PORT_4000_TCP_ADDR: '10.0.0.1',
      }),
    ).toEqual([]);
  });
});
