/** Scopes of OAuth applications, with their texts for the window (spec core 7.4). */
export const SCOPES = {
  api: 'Read and write everything that you can access',
  read_api: 'Read everything that you can access',
  read_user: 'Read your profile and the users of this instance',
  read_repository: 'Read the code of your projects',
  write_repository: 'Read and write the code of your projects',
  sudo: 'Act as any user if you are an administrator',
  admin_mode: 'Act as an administrator if you are one',
  openid: 'Read your identity and your groups',
  profile: 'Read your name and picture',
  email: 'Read your email address',
} as const satisfies Record<string, string>

/** The default scope. */
const DEFAULT_SCOPE = 'api'

/** Returns the scopes in a parameter, which separates them by spaces, without duplicates. */
export function scopeList(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter((word) => word !== ''))]
}

/** Returns true if all scopes are known. */
export function areScopes(words: readonly string[]): boolean {
  return words.every((word) => Object.hasOwn(SCOPES, word))
}

/**
 * Returns the granted scopes: the requested ones or the default; undefined if the application does not have all of
 * them.
 */
export function grantedScopes(
  requested: readonly string[] | undefined,
  available: readonly string[],
): string[] | undefined {
  const scopes = requested?.length ? requested : [DEFAULT_SCOPE]
  return scopes.every((word) => available.includes(word)) ? [...scopes] : undefined
}
