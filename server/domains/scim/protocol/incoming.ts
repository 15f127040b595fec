import { attributeOf } from './filter.ts'

/** What an identity provider says about a user, as far as it counts here; what is absent was not said. */
export interface Incoming {
  externalId?: string
  userName?: string
  name?: string
  email?: string
  active?: boolean
}

type Hash = Readonly<Record<string, unknown>>

/** True for a JSON object. */
export function isHash(value: unknown): value is Hash {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An attribute in whatever case it is written. */
export function attribute(given: Hash, name: string): unknown {
  const key = Object.keys(given).find((key) => attributeOf(key) === name.toLowerCase())
  return key === undefined ? undefined : given[key]
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' && !value.includes('\0') ? value.trim() : undefined

/** `true`, `false`, or the words for them that some identity providers send. */
export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.toLowerCase() : ''
  return word === 'true' ? true : word === 'false' ? false : undefined
}

/** The one name of a user out of its parts. */
export function nameOf(value: unknown): string | undefined {
  if (!isHash(value)) return textOf(value)
  const parts = ['givenName', 'familyName'].map((part) => textOf(attribute(value, part)))
  return textOf(attribute(value, 'formatted')) ?? textOf(parts.filter(Boolean).join(' '))
}

/** The address that counts: the one for work, or the primary one, or the first. */
export function emailOf(value: unknown): string | undefined {
  const all = (Array.isArray(value) ? value : [value]).map((one) =>
    isHash(one)
      ? {
          value: textOf(attribute(one, 'value')),
          isWork: attribute(one, 'type') === 'work',
          isPrimary: booleanOf(attribute(one, 'primary')) === true,
        }
      : { value: textOf(one), isWork: false, isPrimary: false },
  )
  const found = all.filter((one) => one.value !== undefined)
  return (found.find((one) => one.isWork) ?? found.find((one) => one.isPrimary) ?? found[0])?.value
}

/** A whole user as it is sent (POST, PUT). */
export function incomingOf(given: Hash): Incoming {
  return {
    ...said('externalId', textOf(attribute(given, 'externalId'))),
    ...said('userName', textOf(attribute(given, 'userName'))),
    ...said('name', nameOf(attribute(given, 'name')) ?? textOf(attribute(given, 'displayName'))),
    ...said('email', emailOf(attribute(given, 'emails'))),
    ...said('active', booleanOf(attribute(given, 'active'))),
  }
}

/** A part of what was said, or nothing. */
export function said<Name extends keyof Incoming>(
  name: Name,
  value: Incoming[Name],
): Pick<Incoming, Name> | Record<string, never> {
  return value === undefined ? {} : ({ [name]: value } as Pick<Incoming, Name>)
}

export { textOf }
