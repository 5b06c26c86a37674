import { stitchSchemas } from '@graphql-tools/stitch';
import { schema } from 'rdap-graphql-gateway';

export function stitchedSchema(gateway, otherSubschemas = []) {
  const subschema = { schema, executor: gateway.execute };
  return stitchSchemas({ subschemas: [subschema, ...otherSubschemas] });
}
