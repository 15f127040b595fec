import type { AuditEntity } from './store-look.ts'

/** The record that an action was about. */
export interface AuditTarget {
  readonly type: string
  readonly id: number | null
  readonly details: string
}

/** An entity as a target of an action elsewhere. */
export function asTarget({ type, id, path }: AuditEntity): AuditTarget {
  return { type, id, details: path }
}
