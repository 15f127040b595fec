/**
 * The window's own addresses for what people try to get in by, with the address that the setting `protected_paths` knows
 * it by. Whoever serves them counts failures only (`guarded`).
 */
const KNOWN_AS: Readonly<Record<string, string>> = {
  '/-/session': '/users/sign_in',
  '/-/session/admin': '/admin/session',
  '/-/registration': '/users',
  '/-/password_reset': '/users/password',
  '/-/profile/password': '/users/password',
  '/-/confirmation': '/users/confirmation',
}

/** Addresses that count for themselves and need no mention in the settings. */
const ALWAYS = new Set(['/oauth/token', '/oauth/revoke', '/oauth/introspect'])

/** True for an address that counts its failures itself. */
export function isGuarded(path: string): boolean {
  return path in KNOWN_AS || ALWAYS.has(path)
}

/** True for an address that begins as one of the list, under its own name or the one that it is known by. */
export function protects(list: readonly string[], path: string): boolean {
  const names = [path, KNOWN_AS[path]].filter((name) => name !== undefined)
  return list.some((entry) => entry !== '' && names.some((name) => name.startsWith(entry)))
}
