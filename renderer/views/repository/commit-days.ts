import type { Commit } from '../../api/schema.gen.ts'

export type CommitDay = { day: string; commits: Commit[] }

const title = (date: Date, now: Date): string => {
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  if (date.toDateString() === now.toDateString()) return 'Today'
  if (date.toDateString() === yesterday.toDateString()) return 'Yesterday'
  const year = date.getFullYear() === now.getFullYear() ? undefined : 'numeric'
  return date.toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year })
}

/** Commits by the day of their commit date, in the order they came; a day may appear again after a merge of older work. */
export const byDay = (commits: readonly Commit[], now: number): CommitDay[] => {
  const days: CommitDay[] = []
  for (const commit of commits) {
    const day = title(new Date(commit.committed_date), new Date(now))
    const last = days.at(-1)
    if (last?.day === day) last.commits.push(commit)
    else days.push({ day, commits: [commit] })
  }
  return days
}

/** A commit message without its first line. */
export const bodyOf = (message: string): string => message.slice(message.split('\n')[0]?.length ?? 0).trim()
