import type { Ctx } from '../../../../ctx.ts'
import { type Commit, findCommit } from '../../../../git/commits.ts'
import { type Project, repoOf } from '../../../projects/index.ts'
import { projectUrl } from './project.ts'

/** A commit that was read, in an event (spec administration 3.8, CM). */
export function commitBlockOf(ctx: Pick<Ctx, 'config'>, project: Project, commit: Commit) {
  return {
    id: commit.id,
    message: commit.message,
    title: commit.title,
    timestamp: commit.authored_date,
    url: `${projectUrl(ctx, project)}/-/commit/${commit.id}`,
    author: { name: commit.author_name, email: commit.author_email },
  }
}

/** A commit in an event. */
export type CommitBlock = ReturnType<typeof commitBlockOf>

/** The same by its full id; null where the repository does not have it. */
export async function commitBlock(ctx: Ctx, project: Project, sha: string): Promise<CommitBlock | null> {
  const commit = await findCommit(repoOf(ctx, project), sha)
  return commit && commitBlockOf(ctx, project, commit)
}
