-- Each node now sends its share of what a registry allows (`CLUSTER_SIZE`), and lookups are shared by the callers of one process.
DROP FUNCTION fleet_turn(
  text, text, double precision, double precision, integer, bigint, integer, integer, integer, bigint, bigint
);
DROP FUNCTION fleet_today(text, bigint, bigint);
DROP TABLE fleet_hosts, fleet_days, fleet_lanes;

DROP FUNCTION take_leases(text[], integer[], bigint[], bigint[], bigint);
DROP FUNCTION note_flights(text[], bigint[], text[], text[], bigint);
DROP TABLE leases;
DROP SEQUENCE flights;
