import { text, type Fields } from '../github/client/fields.ts'
import type { Person } from '../hosts/landing/index.ts'

const MAX_NAME = 255

/** Somebody of the other host with their address (spec administration 6.10). */
export function personOf(user: Fields | null): Person {
  const login = text(user, 'slug') || text(user, 'name') || text(user, 'displayName') || 'unknown'
  return { login: login.slice(0, MAX_NAME), email: text(user, 'emailAddress') }
}
