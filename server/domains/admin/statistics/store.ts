import type { Database } from '../../../db/database.ts'

/** The queries of all counts, in the contract's order (spec administration 13). */
export const COUNT_QUERIES = {
  forks: 'SELECT count(*) AS n FROM projects WHERE forked_from_project_id IS NOT NULL',
  issues: 'SELECT count(*) AS n FROM issues',
  merge_requests: 'SELECT count(*) AS n FROM merge_requests',
  notes: 'SELECT count(*) AS n FROM notes',
  snippets: 'SELECT count(*) AS n FROM snippets',
  ssh_keys: 'SELECT count(*) AS n FROM ssh_keys',
  milestones: 'SELECT count(*) AS n FROM milestones',
  users: 'SELECT count(*) AS n FROM users',
  groups: "SELECT count(*) AS n FROM namespaces WHERE kind = 'group'",
  projects: 'SELECT count(*) AS n FROM projects',
  active_users: "SELECT count(*) AS n FROM users WHERE state = 'active' AND kind = 'human'",
} as const

export type Counts = Readonly<Record<keyof typeof COUNT_QUERIES, number>>

/** Returns all counts, cached until one of their tables changes. */
export function counts(db: Database): Counts {
  return db.rememberRows('administration:counts', () => {
    const entries = Object.entries(COUNT_QUERIES).map(([name, text]) => [
      name,
      db.one<{ n: number }>(text)!.n,
    ])
    return Object.fromEntries(entries) as Counts
  })
}
