"""Verifies receipts without packages: verifier.py JWKS RECEIPT... See docs/reference/receipt-format.md.

Prints a line for each: `VERDICT RULE`, as it follows from the recorded bytes; `forged` if the signature
does not hold; or `other` if the case is not one of the plain ones."""

import base64
import hashlib
import json
import sys

# Ed25519 (RFC 8032 section 5.1), in extended homogeneous coordinates.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(a, b):
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    x, y, z, t = f - e, h - g, h + g, f + e
    return (x * y % P, z * t % P, y * z % P, x * t % P)


def times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def decompress(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        raise ValueError("not a point")
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x * x % P != square or (x == 0 and sign):
        raise ValueError("not a point")
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


BASE = decompress((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signed(key, message, signature):
    if len(key) != 32 or len(signature) != 64:
        return False
    s = int.from_bytes(signature[32:], "little")
    if s >= L:
        return False
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    k = int.from_bytes(digest, "little") % L
    left = times(s, BASE)
    right = add(decompress(signature[:32]), times(k, decompress(key)))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))


def decode(part):
    data = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    if base64.urlsafe_b64encode(data).rstrip(b"=").decode() != part:
        raise ValueError("bits that do not count are set")
    return data


def open_jws(jws, keys):
    """Returns the payload; raises ValueError if no key has signed it."""
    header, payload, signature = jws.split(".")
    names = json.loads(decode(header))
    key = keys.get(names["kid"])
    message = (header + "." + payload).encode()
    if names["alg"] != "EdDSA" or not key or not is_signed(key, message, decode(signature)):
        raise ValueError("not signed")
    return json.loads(decode(payload))


class Other(Exception):
    """The case is not a plain one."""


def require(condition):
    if not condition:
        raise Other


STATUSES = [
    ("redemption period", "redemption"),
    ("pending restore", "redemption"),
    ("pending delete", "pending_delete"),
    ("reserved", "reserved"),
]


def rdap_statement(exchange):
    """Returns what a response says about the name: a status or `not_found`, or None without one."""
    status, name = exchange.get("status"), exchange["name"]
    if exchange["ended_at"] is None or status is None or status in (400, 500):
        return None
    require(status in (200, 404) and "age" not in exchange["headers"])
    require("json" in exchange["headers"].get("content-type", ""))
    body = json.loads(exchange["body"]["text"])
    if status == 404:
        require(body.get("errorCode") == 404 and "not found" in body.get("title", "").lower())
        return "not_found"
    require(body.get("objectClassName") == "domain" and body.get("ldhName", "").lower() == name)
    require(not {"free", "available"} & set(body["status"]))
    found = [verdict for status, verdict in STATUSES if status in body["status"]]
    return found[0] if found else "registered"


def read_name(message, at):
    labels, end = [], None
    while message[at]:
        if message[at] >= 192:
            end = end or at + 2
            at = (message[at] & 63) << 8 | message[at + 1]
        else:
            labels.append(message[at + 1 : at + 1 + message[at]].decode().lower())
            at += 1 + message[at]
    return ".".join(labels), end or at + 1


def dns_statement(exchange):
    """Returns `delegated` or `absent`."""
    require("response" in exchange)
    message = base64.b64decode(exchange["response"])
    require(message[:2] == base64.b64decode(exchange["query"])[:2] and message[4:6] == b"\0\1")
    name, at = read_name(message, 12)
    require(name == exchange["name"] and message[6:8] == b"\0\0")
    owners, at = set(), at + 4
    for _ in range(int.from_bytes(message[8:10], "big")):
        owner, at = read_name(message, at)
        owners.add((owner, int.from_bytes(message[at : at + 2], "big")))
        at += 10 + int.from_bytes(message[at + 8 : at + 10], "big")
    code, is_authoritative = message[3] & 15, message[2] & 4
    if code == 0 and not is_authoritative and owners == {(name, 2)}:
        return "delegated"
    require(code == 3 and is_authoritative and 6 in {kind for _, kind in owners})
    return "absent"


def judge(payload):
    """Returns the verdict and the rule for a name with RDAP and perhaps the DNS."""
    facts, exchanges = payload["facts"], payload["exchanges"]
    require(payload["format"] == "rdap-gateway-receipt/1")
    require("rdap" in facts and facts["rdap"]["listed"] and facts["rdap"]["trusts_not_found"])
    require("das" not in facts and "whois" not in facts)
    require("stored" not in facts and facts["policy"]["kind"] in ("OPEN", "UNKNOWN"))
    require(payload["domain"].split(".", 1)[1] == facts["entry"])
    asked = lambda source, role: [e for e in exchanges if (e["source"], e["role"]) == (source, role)]

    said = rdap_statement(asked("rdap", "lookup")[-1])
    if said not in (None, "not_found"):
        return said, "registry_reservation" if said == "reserved" else "registry_record"
    dns = {dns_statement(e) for e in asked("dns", "lookup")}
    require(len(dns) < 2)
    if dns:
        require("absent" in {dns_statement(e) for e in asked("dns", "control")})
    if said is None:
        require("delegated" in dns)
        return "registered", "delegation"
    is_proven = "registered" in {rdap_statement(e) for e in asked("rdap", "control")}
    if not is_proven and any(each["canaries"] or each.get("must_find") for each in facts["learned"]):
        return ("registered", "delegation") if "delegated" in dns else ("unknown", "untrusted_answer")
    if "delegated" in dns:
        return "unknown", "contradicted"
    return "available", "registry_not_found" if is_proven else "registry_not_found_unproven"


def main(keys_file, *files):
    with open(keys_file) as file:
        keys = {key["kid"]: decode(key["x"]) for key in json.load(file)["keys"]}
    for name in files:
        with open(name) as file:
            jws = json.load(file)["jws"]
        try:
            payload = open_jws(jws, keys)
        except ValueError:
            print("forged")
            continue
        try:
            print(*judge(payload))
        except (Other, ValueError):
            print("other")


main(*sys.argv[1:])
