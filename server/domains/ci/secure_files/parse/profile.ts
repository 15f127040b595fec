import { X509Certificate } from 'node:crypto'

import { bytesOf, oidOf, childrenOf, parseDer } from '../../../../lib/security/der.ts'
import { serialOf } from './certificate.ts'
import type { Description } from './certificate.ts'
import { parsePlist, type PlistValue } from './plist.ts'

const SIGNED_DATA = '1.2.840.113549.1.7.2'

/**
 * Reads the metadata of a provisioning profile, which is a property list in a signed message (spec ci 6). Throws for
 * anything else.
 */
export function describeProfile(content: Buffer): Description {
  const plist = parsePlist(signedContent(content).toString('utf8'))
  if (!isDictionary(plist)) throw new TypeError('Not a profile.')
  const expiry = plist['ExpirationDate']
  return {
    id: plist['UUID'] ?? null,
    expires_at: expiry instanceof Date ? expiry.toISOString() : null,
    platforms: plist['Platform'] ?? null,
    team_name: plist['TeamName'] ?? null,
    team_id: plist['TeamIdentifier'] ?? null,
    app_name: plist['AppIDName'] ?? null,
    app_id: plist['Name'] ?? null,
    app_id_prefix: plist['ApplicationIdentifierPrefix'] ?? null,
    xcode_managed: plist['IsXcodeManaged'] ?? null,
    entitlements: plist['Entitlements'] ?? null,
    devices: plist['ProvisionedDevices'] ?? null,
    certificate_ids: certificateIds(plist['DeveloperCertificates']),
  }
}

/** The content of a signed message. The signature is not verified. */
function signedContent(message: Buffer): Buffer {
  const [type, content] = childrenOf(parseDer(message))
  if (oidOf(type) !== SIGNED_DATA) throw new TypeError('Not a signed message.')
  const [, , encapsulated] = childrenOf(childrenOf(content)[0])
  const [, octets] = childrenOf(encapsulated)
  return bytesOf(childrenOf(octets)[0])
}

function isDictionary(value: PlistValue): value is Readonly<Record<string, PlistValue>> {
  return (
    typeof value === 'object' && !Array.isArray(value) && !Buffer.isBuffer(value) && !(value instanceof Date)
  )
}

function certificateIds(value: PlistValue | undefined): string[] {
  if (!Array.isArray(value)) return []
  return value.filter((item) => Buffer.isBuffer(item)).map((der) => serialOf(new X509Certificate(der)))
}
