import { deployTokenName } from '../../../lib/aliases.ts'
import type { DeployTokenRow } from './store.ts'

/** Scopes of a deploy token (spec administration 13). */
export const DEPLOY_TOKEN_SCOPES = [
  'read_repository',
  'read_registry',
  'write_registry',
  'read_package_registry',
  'write_package_registry',
] as const

/** Fields of a new token. */
export interface DeployTokenInput {
  readonly name: string
  readonly scopes: readonly string[]
  /** ISO time; null for a token that does not expire. A past time creates an expired token, as clients of the API expect. */
  readonly expires_at?: string | null | undefined
  readonly username?: string | null | undefined
}

/** A new token with its text, which is not stored. */
export interface NewDeployToken {
  readonly row: DeployTokenRow
  readonly token: string
}

/** The default user name of a token. */
export const defaultUsername = (id: number): string => deployTokenName(id)
