import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { fail } from '../../lib/fail.ts'
import type { Project } from '../projects/index.ts'
import { scheduleEvidence } from './jobs.ts'
import { ReleaseDeleted, ReleaseUpdated } from './events.ts'
import { linksOf } from './links/store.ts'
import { findRelease } from './service-read.ts'
import type { ReleaseRow } from './types.ts'
import * as store from './store.ts'
import { checkFields, eventOf, nameOf } from './service.ts'
import { milestoneIds, type NamedMilestones } from './service.ts'
import { mayUseTag } from './service.ts'
import { milestonesOf, setMilestones } from './store.ts'

/** Changes of a release. */
export interface ReleaseChanges extends NamedMilestones {
  readonly name?: string | null | undefined
  readonly description?: string | null | undefined
  readonly released_at?: string | undefined
}

/** Returns the release of a tag for a change. Throws 404, and 403 for a tag that the actor cannot create. */
export function changeable(ctx: Ctx, project: Project, tag: string): ReleaseRow {
  const release = findRelease(ctx, project, tag)
  if (!mayUseTag(ctx, project, tag)) throw fail('forbidden')
  return release
}

/**
 * Returns the release of a tag for an update or deletion. Throws 403, also if it does not exist, as the contract requires for
 * these two endpoints (spec administration 4.2).
 */
export function ownRelease(ctx: Ctx, project: Project, tag: string): ReleaseRow {
  if (!store.byTag(ctx.db, project.id, tag)) throw fail('forbidden')
  return changeable(ctx, project, tag)
}

/** Updates a release. Throws 400 without changes or for invalid values. */
export function updateRelease(
  ctx: Ctx,
  project: Project,
  release: ReleaseRow,
  given: ReleaseChanges,
): ReleaseRow {
  if (Object.values(given).every((value) => value === undefined)) throw fail('bad_request', 'params is empty')
  const milestones = milestoneIds(ctx, project, given)
  const columns = {
    ...(given.name === undefined ? {} : { name: nameOf(given.name, release.tag) }),
    ...(given.description === undefined ? {} : { description: given.description }),
    ...(given.released_at === undefined ? {} : { released_at: given.released_at }),
  }
  checkFields(columns.name ?? release.name)
  return tx(ctx.db, () => {
    const before = store.byId(ctx.db, release.id)
    // It was deleted meanwhile.
    if (!before) throw fail('forbidden')
    const changed = changedColumns(before, columns)
    if (milestones && !sameIds(milestones, milestonesOf(ctx.db, before.id))) {
      setMilestones(ctx.db, before.id, milestones)
      changed.push('milestones')
    }
    if (changed.length === 0) return before
    const after = store.update(ctx.db, before.id, { ...columns, updated_at: ctx.now })
    publish(ctx, ReleaseUpdated, { ...eventOf(ctx, after), changed })
    if (changed.includes('released_at')) scheduleEvidence(ctx, after, null)
    return after
  })
}

function changedColumns(before: ReleaseRow, columns: Partial<ReleaseRow>): string[] {
  return Object.entries(columns).flatMap(([key, value]) =>
    before[key as keyof ReleaseRow] === value ? [] : [key],
  )
}

function sameIds(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((id) => others.includes(id))
}

/** Deletes a release; its tag stays. */
export function deleteRelease(ctx: Ctx, release: ReleaseRow): void {
  tx(ctx.db, () => {
    const links = linksOf(ctx.db, [release.id]).get(release.id) ?? []
    store.remove(ctx.db, release.id)
    const { name, description, sha, created_at, released_at } = release
    publish(ctx, ReleaseDeleted, {
      ...eventOf(ctx, release),
      name,
      description,
      sha,
      created_at,
      released_at,
      links: links.map(({ id, name: called, url, link_type }) => ({ id, name: called, url, link_type })),
    })
  })
}
