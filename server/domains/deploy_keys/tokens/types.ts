import { deployTokenName } from '../../../lib/aliases.ts'
import type { DeployTokenRow } from './store.ts'

/** What a deploy token may be used for (spec administration 13). */
export const DEPLOY_TOKEN_SCOPES = [
  'read_repository',
  'read_registry',
  'write_registry',
  'read_package_registry',
  'write_package_registry',
] as const

/** What a new token is made of. */
export interface DeployTokenInput {
  readonly name: string
  readonly scopes: readonly string[]
  /** ISO time; null for one that does not end. A past one makes a token that has ended, as clients of the API expect. */
  readonly expires_at?: string | null | undefined
  readonly username?: string | null | undefined
}

/** A token just made: the only time that its text is known. */
export interface NewDeployToken {
  readonly row: DeployTokenRow
  readonly token: string
}

/** The name that a token signs in with where none was given. */
export const defaultUsername = (id: number): string => deployTokenName(id)
