import { z } from 'zod'

import { COMMIT_SOURCE } from '../../../lib/aliases.ts'
import { entity } from '../../../http/entity.ts'
import { SSHKey } from '../../users/keys/entity.ts'
import type { GpgKeyRow } from '../../users/index.ts'
import type { PgpSignature, Signature, SshSignature, X509Signature } from './signature.ts'

const statusField = z.enum([
  'verified',
  'unverified',
  'same_user_different_email',
  'other_user',
  'unverified_key',
  'unknown_key',
  'multiple_signatures',
])
const issuerFields = z.strictObject({
  id: z.int(),
  subject: z.string(),
  subject_key_identifier: z.string(),
  crl_url: z.string(),
})

/** A PGP signature (spec core 4.6). */
export const PgpSignatureView = entity(
  'PgpSignature',
  {
    signature_type: z.literal('PGP'),
    verification_status: statusField,
    gpg_key_id: z.int().nullable(),
    gpg_key_primary_keyid: z.string(),
    gpg_key_user_name: z.string().nullable(),
    gpg_key_user_email: z.string().nullable(),
    gpg_key_subkey_id: z.int().nullable(),
    commit_source: z.string(),
  },
  ({ status, key, keyId }: PgpSignature) => {
    const [uid] = key?.uids ?? []
    return {
      signature_type: 'PGP' as const,
      verification_status: status,
      gpg_key_id: key?.id ?? null,
      gpg_key_primary_keyid: key?.primary_keyid ?? keyId,
      gpg_key_user_name: uid?.name ?? null,
      gpg_key_user_email: uid?.email ?? null,
      gpg_key_subkey_id: key ? subkeyOf(key, keyId) : null,
      commit_source: COMMIT_SOURCE,
    }
  },
)

/** Subkeys are not stored as rows; the ID of a subkey is its position on the key, counted from 1. */
function subkeyOf(key: GpgKeyRow, keyId: string): number | null {
  const index = key.subkeys.indexOf(keyId)
  return index < 0 ? null : index + 1
}

/** A signature by an SSH key. */
export const SshSignatureView = entity(
  'SshSignature',
  {
    signature_type: z.literal('SSH'),
    verification_status: statusField,
    key: SSHKey.schema.nullable(),
    commit_source: z.string(),
  },
  ({ status, key }: SshSignature, at) => ({
    signature_type: 'SSH' as const,
    verification_status: status,
    key: key ? SSHKey.present(key, at) : null,
    commit_source: COMMIT_SOURCE,
  }),
)

/** A signature by a certificate. */
export const X509SignatureView = entity(
  'X509Signature',
  {
    signature_type: z.literal('X509'),
    verification_status: statusField,
    x509_certificate: z
      .strictObject({
        id: z.int(),
        subject: z.string(),
        subject_key_identifier: z.string(),
        email: z.string(),
        serial_number: z.number(),
        certificate_status: z.string(),
        x509_issuer: issuerFields,
      })
      .nullable(),
    commit_source: z.string(),
  },
  ({ status, certificate }: X509Signature) => ({
    signature_type: 'X509' as const,
    verification_status: status,
    x509_certificate: certificate
      ? {
          id: certificate.id,
          subject: certificate.subject,
          subject_key_identifier: certificate.subject_key_identifier,
          email: certificate.email,
          serial_number: rawInteger(certificate.serial_number),
          // The instance contacts no authority, so revocation is unknown.
          certificate_status: 'good',
          x509_issuer: certificate.issuer,
        }
      : null,
    commit_source: COMMIT_SOURCE,
  }),
)

/** Keeps all digits of a long integer in JSON; a JavaScript number would round it. */
function rawInteger(text: string): number {
  return (JSON as unknown as { rawJSON(text: string): number }).rawJSON(text)
}

/** Returns the entity for this kind of signature. */
export function signatureView(signature: Signature) {
  return { PGP: PgpSignatureView, SSH: SshSignatureView, X509: X509SignatureView }[signature.type]
}
