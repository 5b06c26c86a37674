import { parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { baseSchema } from '../../../src/app/schema.ts';
import { mcpOperations } from '../../../src/api/mcp/tool.ts';

it.each(Object.entries(mcpOperations))(
  'the operation %s of the tools is valid',
  (_name, source) => {
    expect(validate(baseSchema, parse(source))).toEqual([]);
  },
);
