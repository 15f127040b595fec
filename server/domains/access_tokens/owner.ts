import type { MemberSource } from '../members/index.ts'

/** A project or group as the owner of access tokens, and what the caller may do there. */
export interface TokenOwner {
  readonly kind: 'project' | 'group'
  readonly id: number
  /** The bots of the tokens are members here. */
  readonly members: MemberSource
  /** Whether the caller manages its tokens. */
  readonly manages: boolean
  /** The caller's own level; `Infinity` for administrators. */
  readonly level: number
}
