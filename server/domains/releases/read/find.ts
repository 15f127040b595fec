import type { Ctx } from '../../../ctx.ts'
import { notFound } from '../../../lib/fail.ts'
import type { ReleaseRow } from '../release.ts'
import * as store from '../store.ts'

/** The release of a tag. Throws 404, also where only the tag is there. */
export function findRelease(ctx: Ctx, project: { readonly id: number }, tag: string): ReleaseRow {
  const found = store.byTag(ctx.db, project.id, tag)
  if (!found) throw notFound()
  return found
}

/** The release that comes last, those to come counted. Throws 404 where there is none. */
export function latestRelease(ctx: Ctx, project: { readonly id: number }): ReleaseRow {
  const found = store.latest(ctx.db, project.id)
  if (!found) throw notFound()
  return found
}
