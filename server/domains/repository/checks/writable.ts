import type { CheckInput } from './check.ts'

/** What is said while a repository is moved to another storage (spec administration 9). */
export const READ_ONLY = 'The repository is temporarily read-only. Please try again later.'

/** The sentence for a project whose repository takes no writes at the moment; undefined when it does. */
export function notWritable(project: {
  archived: boolean
  repository_read_only: boolean
}): string | undefined {
  if (project.archived) return 'This project is archived and cannot be changed.'
  return project.repository_read_only ? READ_ONLY : undefined
}

/** Archived projects, repositories on the move and those that are still being filled take no changes. */
export function isWritable({ project }: CheckInput): string | undefined {
  if (project.repository_state !== 'ready')
    return 'The repository is still being made. Please try again in a moment.'
  return notWritable(project)
}
