import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { notFound } from '../../../lib/fail.ts'
import { ReleaseUpdated } from '../events.ts'
import type { ReleaseLinkRow, ReleaseRow } from '../types.ts'
import * as releases from '../store.ts'
import { givenLink, givenPath, type GivenLink } from './validation.ts'
import { checkLink } from './validation.ts'
import * as store from './store.ts'

function others(ctx: Ctx, release: ReleaseRow, but?: number): ReleaseLinkRow[] {
  return (store.linksOf(ctx.db, [release.id]).get(release.id) ?? []).filter((link) => link.id !== but)
}

function publishUpdate(ctx: Ctx, { id, project_id, tag }: ReleaseRow): void {
  releases.update(ctx.db, id, { updated_at: ctx.now })
  const release = { project_id, release_id: id, tag, actor_id: ctx.actor.id }
  publish(ctx, ReleaseUpdated, { ...release, changed: ['links'] })
}

/** A link of a release. Throws 404. */
export function getLink(ctx: Ctx, release: ReleaseRow, id: number): ReleaseLinkRow {
  const found = store.byId(ctx.db, release.id, id)
  if (!found) throw notFound()
  return found
}

/** Creates a link of a release. Throws 400 by field. */
export function addLink(ctx: Ctx, release: ReleaseRow, given: GivenLink): ReleaseLinkRow {
  const link = givenLink(given)
  return tx(ctx.db, () => {
    checkLink(link, others(ctx, release))
    const times = { created_at: ctx.now, updated_at: ctx.now }
    const row = store.insert(ctx.db, { ...link, release_id: release.id, ...times })
    publishUpdate(ctx, release)
    return row
  })
}

/** Updates a link of a release. Throws 400 by field. */
export function changeLink(
  ctx: Ctx,
  release: ReleaseRow,
  before: ReleaseLinkRow,
  given: Partial<GivenLink>,
): ReleaseLinkRow {
  const path = givenPath(given)
  const link = {
    name: given.name ?? before.name,
    url: given.url ?? before.url,
    filepath: path === undefined ? before.filepath : path,
    link_type: given.link_type ?? before.link_type,
  }
  return tx(ctx.db, () => {
    checkLink(link, others(ctx, release, before.id))
    const row = store.update(ctx.db, before.id, { ...link, updated_at: ctx.now })
    publishUpdate(ctx, release)
    return row
  })
}

/** Deletes a link of a release. */
export function removeLink(ctx: Ctx, release: ReleaseRow, link: ReleaseLinkRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, link.id)
    publishUpdate(ctx, release)
  })
}
