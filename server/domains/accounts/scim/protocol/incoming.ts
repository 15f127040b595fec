import { attributeOf } from './store.ts'

/** The data of a user from an identity provider. Absent fields were not sent. */
export interface IncomingUser {
  externalId?: string
  userName?: string
  name?: string
  email?: string
  active?: boolean
}

type Hash = Readonly<Record<string, unknown>>

/** Returns true for a JSON object. */
export function isHash(value: unknown): value is Hash {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value of an attribute. Names of attributes are case-insensitive. */
export function attribute(input: Hash, name: string): unknown {
  const key = Object.keys(input).find((key) => attributeOf(key) === name.toLowerCase())
  return key === undefined ? undefined : input[key]
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' && !value.includes('\0') ? value.trim() : undefined

/**
 * Returns a boolean, also from the texts `true` and `false`, which some identity providers send; undefined for other
 * values.
 */
export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.toLowerCase() : ''
  return word === 'true' ? true : word === 'false' ? false : undefined
}

/** Returns the full name of a user from the attribute `name`: a text, the formatted name, or given and family name. */
export function nameOf(value: unknown): string | undefined {
  if (!isHash(value)) return textOf(value)
  const parts = ['givenName', 'familyName'].map((part) => textOf(attribute(value, part)))
  return textOf(attribute(value, 'formatted')) ?? textOf(parts.filter(Boolean).join(' '))
}

/** Returns the work address, else the primary address, else the first one. */
export function emailOf(value: unknown): string | undefined {
  const candidates = (Array.isArray(value) ? value : [value]).map((item) =>
    isHash(item)
      ? {
          value: textOf(attribute(item, 'value')),
          isWork: attribute(item, 'type') === 'work',
          isPrimary: booleanOf(attribute(item, 'primary')) === true,
        }
      : { value: textOf(item), isWork: false, isPrimary: false },
  )
  const entries = candidates.filter((entry) => entry.value !== undefined)
  return (entries.find((entry) => entry.isWork) ?? entries.find((entry) => entry.isPrimary) ?? entries[0])
    ?.value
}

/** Parses a complete user (POST, PUT). */
export function parseUser(input: Hash): IncomingUser {
  return {
    ...ifDefined('externalId', textOf(attribute(input, 'externalId'))),
    ...ifDefined('userName', textOf(attribute(input, 'userName'))),
    ...ifDefined('name', nameOf(attribute(input, 'name')) ?? textOf(attribute(input, 'displayName'))),
    ...ifDefined('email', emailOf(attribute(input, 'emails'))),
    ...ifDefined('active', booleanOf(attribute(input, 'active'))),
  }
}

/** Returns an object with the field, or an empty one if the value is undefined. */
export function ifDefined<Name extends keyof IncomingUser>(
  name: Name,
  value: IncomingUser[Name],
): Pick<IncomingUser, Name> | Record<string, never> {
  return value === undefined ? {} : ({ [name]: value } as Pick<IncomingUser, Name>)
}

export { textOf }
