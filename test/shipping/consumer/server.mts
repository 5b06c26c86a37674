import { createServer } from 'node:http';
import express from 'express';
import { createGateway, schema, type Gateway, type GatewayOptions } from 'rdap-graphql-gateway';
import { ConfigError } from 'rdap-graphql-gateway';

const options: GatewayOptions = {
  AUTH: 'open',
  MAX_LOOKUPS: 100,
  CORS_ORIGINS: ['https://a.test'],
};
await using gateway: Gateway = await createGateway(options);
createServer(gateway.handle);
express().use('/rdap', gateway.handle);
console.log(schema.getQueryType()?.name, new ConfigError('text').message);

// @ts-expect-error: STORE is not an option.
await createGateway({ STORE: 'memory:' });
// @ts-expect-error: AUTH has no such value.
await createGateway({ AUTH: 'none' });
