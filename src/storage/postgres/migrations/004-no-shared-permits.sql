-- Each node now uses a fixed share of each registry's rate limit (`CLUSTER_SIZE`), and lookups are
-- shared only within a process.
DROP FUNCTION IF EXISTS fleet_turn(
  text, text, double precision, double precision, integer, bigint, integer, integer, integer, bigint, bigint
);
DROP FUNCTION IF EXISTS fleet_today(text, bigint, bigint);
DROP TABLE IF EXISTS fleet_hosts, fleet_days, fleet_lanes;

DROP FUNCTION IF EXISTS take_leases(text[], integer[], bigint[], bigint[], bigint);
DROP FUNCTION IF EXISTS note_flights(text[], bigint[], text[], text[], bigint);
DROP TABLE IF EXISTS leases;
DROP SEQUENCE IF EXISTS flights;
