/** Shown instead of every secret. */
export const MASK = '[masked]'

const SECRET =
  /token|secret|passw|passphrase|credential|private[-_]?key|api[-_]?key|cookie|^authorization$|_key$|^otp|^code(_verifier)?$|^dsn$|sentry.*dsn|^assertion$|unleash-instanceid/i
/** Names that match SECRET although their values are not secret. `key` alone names CI variables and public keys. */
const HARMLESS =
  /(_at|_id|_ids|_type|_enabled|_limit|_expires_in|_lifetime|_count|_scopes?)$|^tokens?_per|public_key$|^host_key|fingerprint/i
/** Names of addresses that contain a credential, such as those of chats. */
const ADDRESSES = /^(import_url|webhook|hook_url|remote_url|proxy|new_issue_url_token|mirror_url)$/i

/** True for the name of a parameter, field or header that has a secret value. */
export function isSecretName(name: string): boolean {
  return (SECRET.test(name) && !HARMLESS.test(name)) || ADDRESSES.test(name)
}

/** The forms of tokens that the instance creates, and of the JSON web tokens of CI jobs. */
const TOKEN_SHAPES =
  /\b(?:gl[a-z]{2,6}-[A-Za-z0-9_=.-]{8,}|GR1348941[A-Za-z0-9_-]{8,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)/g
const ADDRESS_CREDENTIALS = /(\b[a-z][a-z0-9+.-]*:\/\/)[^/@\s"']+@/gi

/** Only a text with one of these can contain a token or credential. Most paths have none of them. */
const SUSPICIOUS = /-|eyJ|GR1|:\/\//

/** Masks tokens and credentials of addresses inside a text. */
export function maskText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text
  return text.replace(TOKEN_SHAPES, MASK).replace(ADDRESS_CREDENTIALS, `$1${MASK}@`)
}
