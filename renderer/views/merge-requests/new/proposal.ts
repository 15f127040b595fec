import { bodyOf } from '../../repository/commit-message.ts'

type Commit = { title: string; message: string; parent_ids: readonly string[] }

/** `fix/torn-tail` → `Fix torn tail`; the part before the last slash is only the kind of branch. */
export const titleOfBranch = (branch: string): string => {
  const words = (branch.split('/').at(-1) ?? branch).replace(/[-_]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The issue that a branch is named after: `218-torn-tail`. */
export const issueOfBranch = (branch: string): number | null => {
  const match = /^(\d+)-/.exec(branch.split('/').at(-1) ?? '')
  return match ? Number(match[1]) : null
}

/**
 * Proposes the title and description of a merge request: from its only commit or its branch name, with the project's template
 * and a closing reference to the issue of the branch name.
 */
export const propose = (
  branch: string,
  commits: readonly Commit[],
  template: string | null,
): { title: string; description: string } => {
  const own = commits.filter((commit) => commit.parent_ids.length < 2)
  const [only] = own
  const isOne = own.length === 1 && only !== undefined
  const title = isOne ? only.title : titleOfBranch(branch)
  const issue = issueOfBranch(branch)
  const parts = [
    template?.trim() || (isOne ? bodyOf(only.message).trim() : ''),
    issue ? `Closes #${issue}` : '',
  ]
  return { title, description: parts.filter(Boolean).join('\n\n') }
}
