#!/usr/bin/env bash
# A certificate is not issued by the CA whose name was copied into it.
#
# Version: node-forge 1.4.3
# Behavior: a UTF8String is not decoded when a certificate is read, but is encoded when one is written. So
#   `setIssuer(ca.subject.attributes)` writes another name if that of the CA has an umlaut.
# Expected: attributes that were read are written as they were, as they are for names in ASCII.
# Why it matters: the certificate is signed with the right key, but a chain needs equal names, too, so
#   clients find no issuer for it. Everyone checks the key first.
# Output: O=Größe O=GrÃ¶Ã\u009fe issued=false (with ASCII: true)
# Source: RFC 5280, section 6.1.3 (a) (4), https://www.rfc-editor.org/rfc/rfc5280.html#section-6.1.3;
#   https://github.com/digitalbazaar/forge/issues/847 (open)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent node-forge@1.4.3 >>npm.log

cat >finding.mjs <<'JS'
import { X509Certificate } from 'node:crypto';
import forge from 'node-forge';

const { asn1, md, pki } = forge;
const { publicKey, privateKey } = pki.rsa.generateKeyPair(2048);

/** Returns a certificate that the key of the CA has signed, in PEM. */
function certificateOf(subject, issuer) {
  const certificate = pki.createCertificate();
  Object.assign(certificate, { publicKey, serialNumber: '01' });
  certificate.setSubject(subject);
  certificate.setIssuer(issuer);
  certificate.setExtensions([{ name: 'basicConstraints', cA: true }]);
  certificate.sign(privateKey, md.sha256.create());
  return pki.certificateToPem(certificate);
}

/** Returns the subject of a CA, the issuer of its certificate, and whether these are of one chain. */
function chainOf(organization) {
  const name = [{ name: 'organizationName', value: organization, valueTagClass: asn1.Type.UTF8 }];
  const ca = certificateOf(name, name);
  const { attributes } = pki.certificateFromPem(ca).subject;
  const site = certificateOf([{ name: 'commonName', value: 'example.com' }], attributes);
  const [parent, child] = [new X509Certificate(ca), new X509Certificate(site)];
  return { subject: parent.subject, issuer: child.issuer, issued: child.checkIssued(parent) };
}

const { subject, issuer, issued } = chainOf('Größe');
const visible = issuer.replaceAll('\u009f', '\\u009f');
const seen = `${subject} ${visible} issued=${issued} (with ASCII: ${chainOf('Size').issued})`;
console.log(seen);
process.exitCode = seen === 'O=Größe O=GrÃ¶Ã\\u009fe issued=false (with ASCII: true)' ? 0 : 1;
JS
node finding.mjs
