/** Names of files that hold secrets (spec administration 11.2), as the refusal shows them. */
export const SECRET_FILES: readonly string[] = [
  'aws\\/credentials$',
  '(ssh|config)\\/(personal|server)_(rsa|dsa|ed25519|ecdsa|ecdsa_sk|ed25519_sk)',
  'id_rsa$',
  'id_dsa$',
  'id_ed25519$',
  'id_ecdsa$',
  'id_ecdsa_sk$',
  'id_ed25519_sk$',
  '\\.(pem|key)$',
  '[._]history$',
]

const ALL = SECRET_FILES.map((source) => ({ source, pattern: new RegExp(source) }))

/** The pattern by which a path looks like a secret; undefined for others. */
export function secretPattern(path: string): string | undefined {
  return ALL.find(({ pattern }) => pattern.test(path))?.source
}
