import type { Commit } from '../../api/schema.gen.ts'
import { groupByDay } from '../../composables/days.ts'

export type CommitDay = { day: string; commits: Commit[] }

/** Commits by the day of their commit date, in the order they came; a day may appear again after a merge of older work. */
export const byDay = (commits: readonly Commit[], now: number): CommitDay[] =>
  groupByDay(commits, (commit) => commit.committed_date, now).map(({ day, items }) => ({
    day,
    commits: items,
  }))

/** A commit message without its first line. */
export const bodyOf = (message: string): string => message.slice(message.split('\n')[0]?.length ?? 0).trim()
