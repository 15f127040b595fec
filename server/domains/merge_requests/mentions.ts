import type { Ctx } from '../../ctx.ts'
import { crossReference, issuableOf } from '../planning/index.ts'
import type { Project } from '../projects/index.ts'
import type { MergeRequestRow } from './merge-request.ts'

/** Writes under everything that its texts name that it did so. To be called in the transaction of the change. */
export function nameOthers(ctx: Ctx, project: Project, request: MergeRequestRow): void {
  const text = `${request.title}\n\n${request.description ?? ''}`
  crossReference(ctx, project, issuableOf('MergeRequest', request), text)
}
