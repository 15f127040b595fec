import { isSecretName, MASK, maskText } from './names.ts'

/** URL parameters that contain a secret although their name does not indicate it. */
const MORE_SECRETS = /^(nonce|value)$/i
/** Endpoints that are part of a sign-in; there `state` is a secret, and in lists it is a filter. */
const SIGN_IN = /oauth|openid|\/auth\/|authorize|callback|saml|sso/i

/** Addresses of other hosts may be part of a sign-in there. */
const hasSecretState = (path: string): boolean => !path.startsWith('/') || SIGN_IN.test(path)

/**
 * Matches a percent-encoded character, a part of the name of a secret, or the beginning of a token or address. A target without any
 * of them has nothing to mask, and this is cheaper to test than its parameters one by one.
 */
const SUSPICIOUS =
  /[%-]|:\/\/|token|secret|passw|passphrase|credential|cookie|authorization|key|otp|code|dsn|assertion|url|hook|proxy|nonce|value|variables|state|eyJ|GR1/i

/** False for a target that surely contains no secret. */
export function isSuspicious(target: string): boolean {
  return SUSPICIOUS.test(target)
}

/** Masks the values of secret parameters in the path and query of a request. */
export function maskTarget(target: string): string {
  const at = target.indexOf('?')
  const path = maskText(at < 0 ? target : target.slice(0, at))
  if (at < 0) return path
  const pairs = target
    .slice(at + 1)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=')
      if (equals < 0) return maskText(pair)
      const name = decode(pair.slice(0, equals))
      const parts = name.split(/[[\]]+/)
      const isSecret =
        parts.some((part) => isSecretName(part) || MORE_SECRETS.test(part) || /variables/i.test(part)) ||
        (/^state$/i.test(name) && hasSecretState(path))
      return isSecret ? `${pair.slice(0, equals)}=${MASK}` : maskText(pair)
    })
  return `${path}?${pairs.join('&')}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const READABLE = /^[\x20-\x7e]*$/

/** Masks secrets in the value of a header that is an address or free text. */
export function maskHeaderText(value: string): string {
  if (!READABLE.test(value)) return MASK
  return value.includes('?') ? maskTarget(maskText(value)) : maskText(value)
}
