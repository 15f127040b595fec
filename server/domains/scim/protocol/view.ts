import { isActive } from './active.ts'
import type { ScimScope } from '../service-scope.ts'
import type { ScimUserRow } from '../store.ts'
import type { ScimUserView } from './entity.ts'
import { attributeOf } from './store.ts'
import { namePartsOf } from './patch.ts'

/** The attributes that a request asks for (RFC 7644 3.9). */
export interface Projection {
  readonly attributes?: readonly string[] | undefined
  readonly excludedAttributes?: readonly string[] | undefined
}

function namesIn(given: readonly string[] = []): Set<string> | undefined {
  const names = given.flatMap((name) => attributeOf(name.trim()) || [])
  return names.length > 0 ? new Set(names) : undefined
}

function showsOf({ attributes, excludedAttributes }: Projection): ScimUserView['shows'] {
  const [wanted, unwanted] = [namesIn(attributes), namesIn(excludedAttributes)]
  const isIn = (names: Set<string>, attribute: string): boolean => {
    const name = attribute.toLowerCase()
    return names.has(name) || names.has(name.split('.')[0]!)
  }
  if (wanted) return (attribute) => isIn(wanted, attribute)
  return unwanted ? (attribute) => !isIn(unwanted, attribute) : undefined
}

/** The SCIM representation of a user in a scope. */
export function viewOf(scope: ScimScope, row: ScimUserRow, projection: Projection = {}): ScimUserView {
  const shows = showsOf(projection)
  return {
    extern_uid: row.extern_uid,
    active: isActive(row),
    username: row.username,
    name: { formatted: row.name, ...namePartsOf(row.name) },
    email: row.email,
    created_at: row.created_at,
    updated_at: row.updated_at,
    location: `${scope.address}/Users/${encodeURIComponent(row.extern_uid)}`,
    ...(shows ? { shows } : {}),
  }
}
