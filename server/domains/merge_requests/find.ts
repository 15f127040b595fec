import type { Ctx } from '../../ctx.ts'
import { int } from '../../http/params.ts'
import { Failure } from '../../lib/fail.ts'
import type { Project } from '../projects/index.ts'
import type { MergeRequestRow } from './merge-request.ts'
import * as store from './store.ts'

/** How a merge request is named in paths below its project. */
export const iidParam = { merge_request_iid: int({ min: 1 }).describe('Number of the merge request') }

/** The merge request of that number; who may read them in a project may read each. Throws `404 Not found`. */
export function findMergeRequest(ctx: Ctx, project: Project, iid: number): MergeRequestRow {
  const found = store.byIid(ctx.db, project.id, iid)
  if (!found) throw new Failure('not_found', '404 Not found')
  return found
}
