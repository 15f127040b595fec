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
export function attribute(input: Hash, name: string): unknown {
  const key = Object.keys(input).find((key) => attributeOf(key) === name.toLowerCase())
  return key === undefined ? undefined : input[key]
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
  const all = (Array.isArray(value) ? value : [value]).map((item) =>
    isHash(item)
      ? {
          value: textOf(attribute(item, 'value')),
          isWork: attribute(item, 'type') === 'work',
          isPrimary: booleanOf(attribute(item, 'primary')) === true,
        }
      : { value: textOf(item), isWork: false, isPrimary: false },
  )
  const entries = all.filter((entry) => entry.value !== undefined)
  return (entries.find((entry) => entry.isWork) ?? entries.find((entry) => entry.isPrimary) ?? entries[0])
    ?.value
}

/** The data of a complete user (POST, PUT). */
export function incomingOf(input: Hash): Incoming {
  return {
    ...ifDefined('externalId', textOf(attribute(input, 'externalId'))),
    ...ifDefined('userName', textOf(attribute(input, 'userName'))),
    ...ifDefined('name', nameOf(attribute(input, 'name')) ?? textOf(attribute(input, 'displayName'))),
    ...ifDefined('email', emailOf(attribute(input, 'emails'))),
    ...ifDefined('active', booleanOf(attribute(input, 'active'))),
  }
}

/** An object with the value, or an empty one. */
export function ifDefined<Name extends keyof Incoming>(
  name: Name,
  value: Incoming[Name],
): Pick<Incoming, Name> | Record<string, never> {
  return value === undefined ? {} : ({ [name]: value } as Pick<Incoming, Name>)
}

export { textOf }
