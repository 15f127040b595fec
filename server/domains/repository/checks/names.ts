import { isBranchName, isObjectId, isTagName } from '../../../git/names.ts'
import { branchOf, tagOf, type CheckInput, type RefChange } from './check.ts'

const NOTES = 'refs/notes/'

/**
 * Only branches, tags and the notes that git keeps beside commits are written by users, and only under names that can mean
 * nothing else.
 */
export function haveValidNames({ changes }: CheckInput): string | undefined {
  for (const change of changes) {
    const problem = nameProblem(change)
    if (problem) return problem
  }
  return undefined
}

function nameProblem(change: RefChange): string | undefined {
  const branch = branchOf(change.ref)
  const tag = tagOf(change.ref)
  if (branch === undefined && tag === undefined) {
    const isNotes = change.ref.startsWith(NOTES) && isBranchName(change.ref.slice(NOTES.length))
    return isNotes ? undefined : `Only branches, tags and notes can be changed, not ${change.ref}.`
  }
  // What has a bad name already may still be removed.
  if (change.new === null) return undefined
  if (branch !== undefined) return branchProblem(branch)
  return isTagName(tag!) ? undefined : `${tag} is not a valid name for a tag.`
}

/** What keeps a new branch from having the name; undefined when it can. */
export function branchProblem(name: string): string | undefined {
  if (!isBranchName(name)) return `${name} is not a valid name for a branch.`
  // Everybody would take it for a commit.
  if (isObjectId(name)) return 'A branch cannot have the name of a commit, 40 or 64 hexadecimal digits.'
  return undefined
}
