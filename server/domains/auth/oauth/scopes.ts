/** Scopes that an OAuth application can have, with what the window says of them (spec core 7.4). */
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
  email: 'Read your e-mail address',
} as const satisfies Record<string, string>

/** The scope that is meant when none is asked for. */
const DEFAULT_SCOPE = 'api'

/** The words of a scope parameter, without repetitions; they stand apart by blanks. */
export function scopeList(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter((word) => word !== ''))]
}

/** True when all these are scopes of this instance. */
export function areScopes(words: readonly string[]): boolean {
  return words.every((word) => Object.hasOwn(SCOPES, word))
}

/** The scopes that are granted for what was asked; undefined when that is nothing, or more than there is to give. */
export function grantedScopes(
  asked: readonly string[] | undefined,
  available: readonly string[],
): string[] | undefined {
  const wanted = asked?.length ? asked : [DEFAULT_SCOPE]
  return wanted.every((word) => available.includes(word)) ? [...wanted] : undefined
}
