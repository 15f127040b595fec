/** Scopes of OAuth applications, with their texts for the window (spec core 7.4). */
export const SCOPES = {
  api: 'Everything you can do: read and write all that you reach',
  read_api: 'Read all that you reach',
  read_user: 'Read your profile, and the users of this instance',
  read_repository: 'Read the code of your projects',
  write_repository: 'Read and write the code of your projects',
  sudo: 'Act as any user, if you are an administrator',
  admin_mode: 'Act as an administrator, if you are one',
  openid: 'Know who you are, and your groups',
  profile: 'Read your name and picture',
  email: 'Read your email address',
} as const satisfies Record<string, string>

/** The default scope. */
const DEFAULT_SCOPE = 'api'

/** The scopes in a parameter, separated by spaces, without duplicates. */
export function scopeList(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter((word) => word !== ''))]
}

/** True if all scopes are known. */
export function areScopes(words: readonly string[]): boolean {
  return words.every((word) => Object.hasOwn(SCOPES, word))
}

/** The granted scopes for the requested ones. Undefined for none, or if the application does not have all of them. */
export function grantedScopes(
  requested: readonly string[] | undefined,
  available: readonly string[],
): string[] | undefined {
  const wanted = requested?.length ? requested : [DEFAULT_SCOPE]
  return wanted.every((word) => available.includes(word)) ? [...wanted] : undefined
}
