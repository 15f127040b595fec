import type { Ctx } from '../../ctx.ts'
import { UniqueViolation } from '../../db/constraints.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { isTagName } from '../../git/names.ts'
import { findTag, type Tag } from '../../git/write/refs.ts'
import { fail } from '../../lib/fail.ts'
import type { Project } from '../projects/index.ts'
import {
  admits,
  createTag,
  inRepository,
  tagProtectionsOf,
  pusherOf,
  protecting,
} from '../repository/index.ts'
import { newestPipeline, scheduleEvidence } from './jobs.ts'
import { ReleaseCreated, ReleaseDeleted, ReleaseUpdated } from './events.ts'
import { linksOf } from './links/store.ts'
import { problemsOfAll, newLink, type LinkInput, type NewLink } from './links/service.ts'
import * as links from './links/store.ts'
import { findRelease } from './service-read.ts'
import type { ReleaseRow } from './types.ts'
import * as store from './store.ts'
import { setMilestones, storedMilestoneIds } from './store.ts'
import { milestoneTitled, milestoneFor } from '../planning/index.ts'

/** The fields of a new release. */
export interface NewRelease extends NamedMilestones {
  readonly tag_name: string
  readonly tag_message?: string | undefined
  /** The target of a new tag. */
  readonly ref?: string | undefined
  readonly name?: string | null | undefined
  readonly description?: string | null | undefined
  readonly released_at?: string | undefined
  readonly assets?: { readonly links?: readonly LinkInput[] | undefined } | undefined
}

const MAX_NAME = 255

/**
 * Creates a release, and its tag if it does not exist. Throws 403 for a protected tag, 409 for a second release of a
 * tag, 400 for invalid values, 422 for a new tag without `ref` (spec administration 4.2).
 */
export async function createRelease(ctx: Ctx, project: Project, input: NewRelease): Promise<ReleaseRow> {
  if (!mayUseTag(ctx, project, input.tag_name))
    throw fail('forbidden', 'You are not allowed to create this tag as it is protected.')
  if (store.byTag(ctx.db, project.id, input.tag_name)) throw fail('conflict', 'Release already exists')
  const milestones = milestoneIds(ctx, project, input) ?? []
  const newLinks = (input.assets?.links ?? []).map(newLink)
  checkFields(nameOf(input.name, input.tag_name), newLinks)
  const { sha, pipeline_id } = await tagFor(ctx, project, input)
  try {
    return saveRelease(ctx, project, { input, sha, pipeline_id, milestones, newLinks })
  } catch (error) {
    throw error instanceof UniqueViolation ? fail('conflict', 'Release already exists') : error
  }
}

/** Returns the name of a release; the default is the tag. */
function nameOf(name: string | null | undefined, tag: string): string {
  return name?.trim() ? name : tag
}

/** Throws 400 with all errors of a release. Call it before the tag is created. */
function checkFields(name: string, newLinks: readonly NewLink[] = []): void {
  const tooLong = name.length > MAX_NAME ? [`Name is too long (maximum is ${MAX_NAME} characters)`] : []
  const problems = [...problemsOfAll(newLinks), ...tooLong]
  if (problems.length > 0) throw fail('bad_request', `Validation failed: ${problems.join(', ')}`)
}

/**
 * Creates the tag if it does not exist. Returns the commit of the tag, and the newest pipeline that the commit had
 * before.
 */
async function tagFor(
  ctx: Ctx,
  project: Project,
  { tag_name, tag_message, ref }: NewRelease,
): Promise<{ sha: string | null; pipeline_id: number | null }> {
  // A new tag may start a pipeline, which has no reports yet.
  const withPipeline = (sha: string | null) => ({ sha, pipeline_id: newestPipeline(ctx.db, project.id, sha) })
  const existing = await tagByName(ctx, project, tag_name)
  if (existing) return withPipeline(existing.commit)
  if (!ref) throw fail('unprocessable', 'Ref is not specified')
  try {
    const created = await createTag(ctx, project, { tag_name, ref, message: tag_message })
    return withPipeline(created.tag.commit)
  } catch (error) {
    // Another request may have created the tag in the meantime.
    const existingTag = await tagByName(ctx, project, tag_name)
    if (existingTag) return withPipeline(existingTag.commit)
    throw error
  }
}

async function tagByName(ctx: Ctx, project: Project, name: string): Promise<Tag | null> {
  return isTagName(name) ? inRepository(ctx, project, (repo) => findTag(repo, name)) : null
}

interface ReleaseData {
  readonly input: NewRelease
  readonly sha: string | null
  readonly pipeline_id: number | null
  readonly milestones: readonly number[]
  readonly newLinks: readonly NewLink[]
}

function saveRelease(
  ctx: Ctx,
  project: Project,
  { input, sha, pipeline_id, milestones, newLinks }: ReleaseData,
) {
  return tx(ctx.db, () => {
    const times = { created_at: ctx.now, updated_at: ctx.now }
    const release = store.insert(ctx.db, {
      project_id: project.id,
      tag: input.tag_name,
      sha,
      name: nameOf(input.name, input.tag_name),
      description: input.description ?? null,
      author_id: ctx.actor.id,
      released_at: input.released_at ?? ctx.now,
      ...times,
    })
    setMilestones(ctx.db, release.id, milestones)
    for (const link of newLinks) links.insert(ctx.db, { ...link, release_id: release.id, ...times })
    publish(ctx, ReleaseCreated, eventFields(ctx, release))
    scheduleEvidence(ctx, release, pipeline_id)
    return release
  })
}

/** Returns the fields that every event about a release has. */
function eventFields(ctx: Ctx, release: ReleaseRow) {
  return {
    project_id: release.project_id,
    release_id: release.id,
    tag: release.tag,
    actor_id: ctx.actor.id,
  }
}

/** The milestones that a request names. */
interface NamedMilestones {
  readonly milestones?: readonly string[] | undefined
  readonly milestone_ids?: readonly number[] | undefined
}

/**
 * Returns the IDs of the milestones that a request names, of the project or its groups. Undefined if the request names
 * none. Throws 400 with the unknown milestones.
 */
function milestoneIds(ctx: Ctx, project: Project, milestones: NamedMilestones): number[] | undefined {
  if (milestones.milestones !== undefined) {
    const find = (title: string) => milestoneTitled(ctx.db, project, title)
    return idsOf(milestones.milestones, find, 'Milestone(s) not found')
  }
  if (milestones.milestone_ids === undefined) return undefined
  return idsOf(
    milestones.milestone_ids,
    (id) => milestoneFor(ctx.db, project, id),
    'Milestone id(s) not found',
  )
}

function idsOf<Name extends string | number>(
  names: readonly Name[],
  find: (name: Name) => { readonly id: number } | undefined,
  message: string,
): number[] {
  const rows = [...new Set(names)].map((name) => ({ name, id: find(name)?.id }))
  const missing = rows.flatMap((row) => (row.id === undefined ? [row.name] : []))
  if (missing.length > 0) throw fail('bad_request', `${message}: ${missing.join(', ')}`)
  return rows.map((row) => row.id!)
}

/** Whether the actor may create the tag: a protected tag protects its release, too (spec administration 4.1). */
function mayUseTag(ctx: Ctx, project: Project, tag: string): boolean {
  const matching = protecting(tagProtectionsOf(ctx.db, project.id), tag)
  if (matching.length === 0 || ctx.actor.kind === 'system') return true
  const pusher = pusherOf(ctx, project)
  return matching.some((protection) => protection.levels.some((level) => admits(level, pusher)))
}

/** The changes of a release. Undefined fields stay unchanged. */
interface ReleaseChanges extends NamedMilestones {
  readonly name?: string | null | undefined
  readonly description?: string | null | undefined
  readonly released_at?: string | undefined
}

/** Returns the release of a tag for a change. Throws 404, and 403 for a tag that the actor may not create. */
export function findForChange(ctx: Ctx, project: Project, tag: string): ReleaseRow {
  const release = findRelease(ctx, project, tag)
  if (!mayUseTag(ctx, project, tag)) throw fail('forbidden')
  return release
}

/**
 * Returns the release of a tag for its update or deletion. Throws 403 even if the release does not exist, as the
 * contract requires for these two endpoints (spec administration 4.2).
 */
export function findForUpdate(ctx: Ctx, project: Project, tag: string): ReleaseRow {
  if (!store.byTag(ctx.db, project.id, tag)) throw fail('forbidden')
  return findForChange(ctx, project, tag)
}

/** Updates a release. Throws 400 without changes or for invalid values. */
export function updateRelease(
  ctx: Ctx,
  project: Project,
  release: ReleaseRow,
  changes: ReleaseChanges,
): ReleaseRow {
  if (Object.values(changes).every((value) => value === undefined))
    throw fail('bad_request', 'params is empty')
  const milestones = milestoneIds(ctx, project, changes)
  const columns = {
    ...(changes.name === undefined ? {} : { name: nameOf(changes.name, release.tag) }),
    ...(changes.description === undefined ? {} : { description: changes.description }),
    ...(changes.released_at === undefined ? {} : { released_at: changes.released_at }),
  }
  checkFields(columns.name ?? release.name)
  return tx(ctx.db, () => {
    const before = store.byId(ctx.db, release.id)
    // The release was deleted in the meantime.
    if (!before) throw fail('forbidden')
    const changed = changedColumns(before, columns)
    if (milestones && !sameIds(milestones, storedMilestoneIds(ctx.db, before.id))) {
      setMilestones(ctx.db, before.id, milestones)
      changed.push('milestones')
    }
    if (changed.length === 0) return before
    const after = store.update(ctx.db, before.id, { ...columns, updated_at: ctx.now })
    publish(ctx, ReleaseUpdated, { ...eventFields(ctx, after), changed })
    if (changed.includes('released_at')) scheduleEvidence(ctx, after, null)
    return after
  })
}

function changedColumns(before: ReleaseRow, columns: Partial<ReleaseRow>): string[] {
  return Object.entries(columns).flatMap(([key, value]) =>
    before[key as keyof ReleaseRow] === value ? [] : [key],
  )
}

function sameIds(ids: readonly number[], others: readonly number[]): boolean {
  return ids.length === others.length && ids.every((id) => others.includes(id))
}

/** Deletes a release, but not its tag. */
export function deleteRelease(ctx: Ctx, release: ReleaseRow): void {
  tx(ctx.db, () => {
    const links = linksOf(ctx.db, [release.id]).get(release.id) ?? []
    store.remove(ctx.db, release.id)
    const { name, description, sha, created_at, released_at } = release
    publish(ctx, ReleaseDeleted, {
      ...eventFields(ctx, release),
      name,
      description,
      sha,
      created_at,
      released_at,
      links: links.map((link) => ({
        id: link.id,
        name: link.name,
        url: link.url,
        link_type: link.link_type,
      })),
    })
  })
}
