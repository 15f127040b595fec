import { attributeOf } from './store.ts'

/** The data of a user from an identity provider; missing fields were not sent. */
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

/** An attribute by its name in any case. */
export function attribute(given: Hash, name: string): unknown {
  const key = Object.keys(given).find((key) => attributeOf(key) === name.toLowerCase())
  return key === undefined ? undefined : given[key]
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' && !value.includes('\0') ? value.trim() : undefined

/** A boolean, or one of the strings that some identity providers send. */
export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.toLowerCase() : ''
  return word === 'true' ? true : word === 'false' ? false : undefined
}

/** The full name of a user from its parts. */
export function nameOf(value: unknown): string | undefined {
  if (!isHash(value)) return textOf(value)
  const parts = ['givenName', 'familyName'].map((part) => textOf(attribute(value, part)))
  return textOf(attribute(value, 'formatted')) ?? textOf(parts.filter(Boolean).join(' '))
}

/** The work address, or the primary one, or the first. */
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

/** A whole user (POST, PUT). */
export function incomingOf(given: Hash): Incoming {
  return {
    ...said('externalId', textOf(attribute(given, 'externalId'))),
    ...said('userName', textOf(attribute(given, 'userName'))),
    ...said('name', nameOf(attribute(given, 'name')) ?? textOf(attribute(given, 'displayName'))),
    ...said('email', emailOf(attribute(given, 'emails'))),
    ...said('active', booleanOf(attribute(given, 'active'))),
  }
}

/** An object with the value, or an empty one. */
export function said<Name extends keyof Incoming>(
  name: Name,
  value: Incoming[Name],
): Pick<Incoming, Name> | Record<string, never> {
  return value === undefined ? {} : ({ [name]: value } as Pick<Incoming, Name>)
}

export { textOf }
