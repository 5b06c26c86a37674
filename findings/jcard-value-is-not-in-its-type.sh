#!/usr/bin/env bash
# The value of a jCard property cannot be read.
#
# Version: openapi-typescript 7.13.0, @hey-api/openapi-ts 0.99.0, compiled with typescript 5.9.3
# Behavior: a schema with three `prefixItems` and at least four items becomes a tuple of exactly three. In a
#   jCard, these are name, parameters and type, and the value comes after them.
# Expected: `[string, …, string, ...unknown[]]`. JSON Schema says of `prefixItems` only what the first items are.
#   With `items: false`, there are no others.
# Why it matters: the schema is right and validators use it as meant, but a client in TypeScript does not compile
#   once it reads a name or a phone number from RDAP. No server has sent anything yet.
# Output: openapi-typescript: TS2493 @hey-api/openapi-ts: TS2493
# Source: https://json-schema.org/draft/2020-12/json-schema-core#section-10.3.1.1, which OpenAPI 3.1 includes;
#   RFC 7095, section 3.3, https://www.rfc-editor.org/rfc/rfc7095.html#section-3.3;
#   https://github.com/openapi-ts/openapi-typescript/issues/1892 (open)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent openapi-typescript@7.13.0 @hey-api/openapi-ts@0.99.0 \
  typescript@5.9.3 >>npm.log

cat >openapi.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Contacts", "version": "1.0.0" },
  "paths": {
    "/phone": {
      "get": {
        "responses": {
          "200": {
            "description": "A property of a jCard.",
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Property" } } }
          }
        }
      }
    }
  },
  "components": {
    "schemas": {
      "Property": {
        "type": "array",
        "minItems": 4,
        "prefixItems": [
          { "type": "string" },
          { "type": "object", "additionalProperties": true },
          { "type": "string" }
        ]
      }
    }
  }
}
JSON
npx openapi-typescript openapi.json --output first.ts >>npm.log 2>&1
npx openapi-ts --input openapi.json --output second >>npm.log 2>&1

cat >first-client.ts <<'TS'
import type { components } from './first.js';

export const valueOf = (property: components['schemas']['Property']): unknown => property[3];
TS
cat >second-client.ts <<'TS'
import type { Property } from './second/types.gen.js';

export const valueOf = (property: Property): unknown => property[3];
TS

# errors_in FILE: prints the codes of the compiler's errors
errors_in() {
  npx tsc --noEmit --strict --module nodenext --skipLibCheck "$1" | grep --only-matching 'TS[0-9]*' || true
}
seen="openapi-typescript: $(errors_in first-client.ts) @hey-api/openapi-ts: $(errors_in second-client.ts)"
echo "$seen"
test "$seen" = 'openapi-typescript: TS2493 @hey-api/openapi-ts: TS2493'
