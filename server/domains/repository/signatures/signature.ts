import type { GpgKeyRow, SshKeyView } from '../../users/index.ts'

/** The verification status of a signature (spec core 4.6). */
export type Verification =
  | 'verified'
  | 'unverified'
  | 'same_user_different_email'
  | 'other_user'
  | 'unverified_key'
  | 'unknown_key'
  | 'multiple_signatures'

/** A signature by PGP. */
export interface PgpSignature {
  readonly type: 'PGP'
  readonly status: Verification
  readonly key: GpgKeyRow | undefined
  /** The id of the key that the signature names; it may be a subkey. */
  readonly keyId: string
}

/** A signature by an SSH key. */
export interface SshSignature {
  readonly type: 'SSH'
  readonly status: Verification
  readonly key: SshKeyView | undefined
}

/** The fields of a certificate that the API shows. */
export interface Certificate {
  readonly id: number
  readonly subject: string
  readonly subject_key_identifier: string
  readonly email: string
  /** Decimal digits; too many for a JavaScript number. */
  readonly serial_number: string
  readonly issuer: {
    readonly id: number
    readonly subject: string
    readonly subject_key_identifier: string
    readonly crl_url: string
  }
}

/** A signature by a certificate. */
export interface X509Signature {
  readonly type: 'X509'
  readonly status: Verification
  readonly certificate: Certificate | undefined
}

export type Signature = PgpSignature | SshSignature | X509Signature
