import { z } from 'zod'

import type { Author } from '../../../git/read/authors.ts'
import { date, entity } from '../../../http/entity.ts'

/** An author with the number of their commits. Lines are not counted (spec core 4.1). */
export const Contributor = entity(
  'Contributor',
  { name: z.string(), email: z.string(), commits: z.int(), additions: z.int(), deletions: z.int() },
  ({ name, email, commits }: Author) => ({ name, email, commits, additions: 0, deletions: 0 }),
)

/** The commits of one week. */
export interface CommitWeek {
  /** The Monday of the week (UTC). */
  readonly week: string
  readonly commits: number
}

/** Commits per week, for the charts. Weeks without commits are left out. */
export const CommitWeeks = entity(
  'CommitWeeks',
  { cut: z.boolean(), weeks: z.array(z.strictObject({ week: date(), commits: z.int() })) },
  ({ cut, weeks }: { readonly cut: boolean; readonly weeks: CommitWeek[] }) => ({ cut, weeks }),
)
