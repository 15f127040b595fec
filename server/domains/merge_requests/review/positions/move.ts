import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { diffThreadsOf, moveThreads, outdateThread, type DiffThread } from '../../../discussions/index.ts'
import { inRepository, projectById, type Project } from '../../../projects/index.ts'
import { actingAs } from '../../acting.ts'
import { diffsOf } from '../../diffs/latest.ts'
import type { MergeRequestRow } from '../../merge-request.ts'
import { mergeRequestNoteable } from '../../noteable.ts'
import * as requests from '../../store.ts'
import { followPositions, isIn, refsOf } from './follow.ts'

/**
 * Takes the threads of a merge request along to a new version: those in the version before it move to where their line is
 * now. A thread whose line changed stays where it was and is outdated; where the project wants that, it is resolved.
 */
export async function movePositions(
  ctx: Ctx,
  event: { merge_request_id: number; diff_id: number; actor_id: number | null },
): Promise<void> {
  const request = requests.byId(ctx.db, event.merge_request_id)
  const project = request && projectById(ctx.db, request.project_id)
  if (!project) return
  const versions = diffsOf(ctx.db, request)
  const at = versions.findIndex((one) => one.id === event.diff_id)
  const [fresh, before] = [versions[at], versions[at + 1]]
  if (at < 0 || !fresh || !before) return
  const threads = diffThreadsOf(ctx.db, mergeRequestNoteable(request)).filter((one) =>
    isIn(one.position, refsOf(before)),
  )
  if (threads.length === 0) return
  const found = await inRepository(ctx, project, (repo) =>
    followPositions(
      repo,
      refsOf(before),
      refsOf(fresh),
      threads.map((one) => one.position),
    ),
  )
  const acting = actingAs(ctx, event.actor_id ?? request.author_id)
  const number = versions.length - at
  tx(ctx.db, () => {
    const moves = threads.flatMap((thread, index) => {
      const position = found[index]
      return position ? [{ thread, position }] : []
    })
    moveThreads(ctx, moves)
    for (const [index, thread] of threads.entries())
      if (!found[index]) outdate(acting, { project, request, thread, number })
  })
}

function outdate(
  ctx: Ctx,
  given: {
    project: Project
    request: MergeRequestRow
    thread: DiffThread
    number: number
  },
): void {
  const { project, request, thread, number } = given
  outdateThread(ctx, mergeRequestNoteable(request), thread, {
    body: `changed this line in version ${number} of the diff`,
    author_id: ctx.actor.id ?? request.author_id,
    resolve: project.resolve_outdated_diff_discussions,
  })
}
