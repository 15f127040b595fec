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
  type Incoming,
} from './incoming.ts'

/** States of an account that cannot be used. */
export const UNUSABLE_STATES: ReadonlySet<string> = new Set([
  'blocked',
  'banned',
  'ldap_blocked',
  'blocked_pending_approval',
])

/** Whether the user is active: in a group by the identity, in the instance by the state of the account. */
export function isActive(row: Pick<ScimUserRow, 'group_id' | 'active' | 'state'>): boolean {
  return row.group_id === null ? !UNUSABLE_STATES.has(row.state) : row.active
}

/** The user before the change; partial names are completed from it. */
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
 * The changes of the operations of a PATCH. Unsupported attributes are accepted and ignored, and so is the removal of required
 * ones (spec administration 8.2). Throws 412 for invalid operations.
 */
export function patchOf(operations: unknown, user: PatchedUser): Incoming {
  if (!Array.isArray(operations) || operations.length === 0) throw refusal('Missing params: [Operations]')
  if (operations.length > MAX_OPERATIONS) throw refusal(`More than ${MAX_OPERATIONS} operations`)
  let result: Incoming = {}
  for (const operation of operations as unknown[]) {
    if (!isHash(operation)) throw refusal('An operation is an object')
    const op = String(attribute(operation, 'op')).toLowerCase()
    const path = attribute(operation, 'path')
    if (!['add', 'replace', 'remove'].includes(op)) throw refusal('Unsupported operation')
    if (path !== undefined && path !== null && typeof path !== 'string') throw refusal('Invalid path')
    if (op === 'remove' && !path) throw refusal('A path is needed to remove something')
    if (op === 'remove') continue
    const value = attribute(operation, 'value')
    const names = { name: result.name ?? user.name }
    result = { ...result, ...(path ? changeAt(path, value, names) : changesIn(value, names)) }
  }
  return result
}

/** Without a path, the keys of the value name the attributes. */
function changesIn(value: unknown, user: PatchedUser): Incoming {
  if (!isHash(value)) throw refusal('A value without a path is an object')
  let result: Incoming = {}
  for (const [path, part] of Object.entries(value))
    result = { ...result, ...changeAt(path, part, { name: result.name ?? user.name }) }
  return result
}

const EMAIL_PATH = /^emails(?:\[\s*(?:type\s+eq\s+"work"|primary\s+eq\s+"?true"?)\s*\])?(?:\.value)?$/

function changeAt(path: string, value: unknown, user: PatchedUser): Incoming {
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
      return ifDefined('name', isHash(value) ? nameOf({ ...parts, ...presentParts(value) }) : nameOf(value))
    case 'displayname':
    case 'name.formatted':
      return ifDefined('name', textOf(value))
    case 'name.givenname':
      return ifDefined('name', nameOf({ ...parts, givenName: value }))
    case 'name.familyname':
      return ifDefined('name', nameOf({ ...parts, familyName: value }))
    case 'active': {
      const active = booleanOf(value)
      if (active === undefined) throw refusal('active is true or false')
      return { active }
    }
    default:
      return {}
  }
}

/** The parts of a name that a value has, without missing ones. */
function presentParts(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = ['formatted', 'givenName', 'familyName']
  const values = names.map((name) => [name, attribute(value, name)] as const)
  return Object.fromEntries(values.filter(([, part]) => part !== undefined))
}
