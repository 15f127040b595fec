import type { Ctx } from '../../../ctx.ts'
import { GitRefError } from '../../../git/errors.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { fail } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { moveRefs } from '../refs-updated.ts'

const CHANGED = 'The branch was changed by someone else meanwhile. Please try again.'
/** Pushes do not wait for us; one that comes in between lets everything begin again, so often. */
const ATTEMPTS = 5

/** What makes a commit on top of a branch; null where the branch is not there yet. */
export type MakeCommit = (tip: string | null) => Promise<string>

/**
 * Moves a branch to a commit that is made on top of it. Such changes of one branch wait for each other, so that each
 * stands on the one before; `make` runs again when a push came in between. Answers with the new commit.
 */
export function advanceBranch(
  ctx: Ctx,
  project: Project,
  given: { repo: Repo; branch: string },
  make: MakeCommit,
): Promise<string> {
  const { repo, branch } = given
  const ref = `refs/heads/${branch}`
  return repo.git.locks.run(`${repo.key}\0${ref}`, async () => {
    for (let attempt = 1; ; attempt++) {
      const tip = await branchTip(repo, branch)
      const made = await make(tip)
      try {
        await moveRefs(ctx, project, { source: 'api', changes: [{ ref, old: tip, new: made }] })
        return made
      } catch (error) {
        if (!wasOvertaken(error)) throw error
        if (attempt === ATTEMPTS) throw fail('bad_request', CHANGED)
      }
    }
  })
}

function wasOvertaken(error: unknown): boolean {
  return error instanceof GitRefError && ['changed', 'exists', 'missing'].includes(error.problem)
}
