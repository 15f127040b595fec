import type { NamespaceRow } from '../namespaces/index.ts'

/** A group as stored: a namespace that is nobody's own. */
export interface Group extends NamespaceRow {
  kind: 'group'
}

/** Sizes of everything in a group's own projects, in bytes. */
export interface GroupStatistics {
  repository_size: number
}
