import { fail } from '../../../../lib/fail.ts'
import type { ScimUserRow } from '../store.ts'
import { attributeOf } from './store.ts'
import {
  attribute,
  booleanOf,
  emailOf,
  isHash,
  nameOf,
  ifDefined,
  textOf,
  type IncomingUser,
} from './incoming.ts'

/** States in which an account cannot be used. */
export const UNUSABLE_STATES: ReadonlySet<string> = new Set([
  'blocked',
  'banned',
  'ldap_blocked',
  'blocked_pending_approval',
])

/** Returns whether a user is active: in a group by the identity, in the instance by the state of the account. */
export function isActive(row: Pick<ScimUserRow, 'group_id' | 'active' | 'state'>): boolean {
  return row.group_id === null ? !UNUSABLE_STATES.has(row.state) : row.active
}

/** The user before the change. Its name completes a change of only the given or the family name. */
export interface PatchedUser {
  readonly name: string
}

const MAX_OPERATIONS = 100

const refusal = (text: string) => fail('precondition_failed', text)

/** Splits a name: the given name is its first word, the family name the rest. */
export function namePartsOf(name: string): { givenName: string; familyName: string } {
  const space = name.indexOf(' ')
  return space < 0
    ? { givenName: name, familyName: '' }
    : { givenName: name.slice(0, space), familyName: name.slice(space + 1) }
}

/**
 * Parses the operations of a PATCH. Changes of unsupported attributes and the removal of required ones are accepted
 * and ignored (spec administration 8.2). Throws 412 for invalid operations.
 */
export function parsePatch(operations: unknown, user: PatchedUser): IncomingUser {
  if (!Array.isArray(operations) || operations.length === 0) throw refusal('Missing params: [Operations]')
  if (operations.length > MAX_OPERATIONS) throw refusal(`More than ${MAX_OPERATIONS} operations`)
  let result: IncomingUser = {}
  for (const operation of operations as unknown[]) {
    if (!isHash(operation)) throw refusal('An operation must be an object')
    const op = String(attribute(operation, 'op')).toLowerCase()
    const path = attribute(operation, 'path')
    if (!['add', 'replace', 'remove'].includes(op)) throw refusal('Unsupported operation')
    if (path !== undefined && path !== null && typeof path !== 'string') throw refusal('Invalid path')
    if (op === 'remove' && !path) throw refusal('A removal requires a path')
    if (op === 'remove') continue
    const value = attribute(operation, 'value')
    const names = { name: result.name ?? user.name }
    result = { ...result, ...(path ? parseAttribute(path, value, names) : parseAttributes(value, names)) }
  }
  return result
}

/** Parses the value of an operation without a path: its keys are the names of the attributes. */
function parseAttributes(value: unknown, user: PatchedUser): IncomingUser {
  if (!isHash(value)) throw refusal('A value without a path must be an object')
  let result: IncomingUser = {}
  for (const [path, subValue] of Object.entries(value))
    result = { ...result, ...parseAttribute(path, subValue, { name: result.name ?? user.name }) }
  return result
}

const EMAIL_PATH = /^emails(?:\[\s*(?:type\s+eq\s+"work"|primary\s+eq\s+"?true"?)\s*\])?(?:\.value)?$/

function parseAttribute(path: string, value: unknown, user: PatchedUser): IncomingUser {
  const name = attributeOf(path.trim())
  const parts = namePartsOf(user.name)
  if (EMAIL_PATH.test(name)) return ifDefined('email', emailOf(value))
  switch (name) {
    case 'id':
    case 'externalid':
      return ifDefined('externalId', textOf(value))
    case 'username':
      return ifDefined('userName', textOf(value))
    case 'name':
      return ifDefined('name', isHash(value) ? nameOf({ ...parts, ...nameParts(value) }) : nameOf(value))
    case 'displayname':
    case 'name.formatted':
      return ifDefined('name', textOf(value))
    case 'name.givenname':
      return ifDefined('name', nameOf({ ...parts, givenName: value }))
    case 'name.familyname':
      return ifDefined('name', nameOf({ ...parts, familyName: value }))
    case 'active': {
      const active = booleanOf(value)
      if (active === undefined) throw refusal('active must be true or false')
      return { active }
    }
    default:
      return {}
  }
}

/** Returns the sub-attributes of a name, without absent ones. */
function nameParts(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = ['formatted', 'givenName', 'familyName']
  const values = names.map((name) => [name, attribute(value, name)] as const)
  return Object.fromEntries(values.filter(([, part]) => part !== undefined))
}
