import { leasesSchema } from './leases-schema.ts';
import { mannersSchema } from './manners-schema.ts';

/** What nodes agree upon before they ask a registry. */
export const fleetSchema = mannersSchema + leasesSchema;
