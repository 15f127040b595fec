import type { Ctx } from '../../../ctx.ts'
import { readCommits } from '../../../git/read/commits.ts'
import { GitRefError } from '../../../git/errors.ts'
import { isTagName } from '../../../git/names.ts'
import {
  findTag,
  listTags as readTags,
  writeTagObject,
  type RefOrder,
  type Tag as GitTag,
} from '../../../git/write/refs.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { GUEST } from '../../../policy/levels.ts'
import { fullPath, project as scope, type Project, inRepository } from '../../projects/index.ts'
import { runChecks, refusalOf } from '../checks/run-checks.ts'
import { committerOf, bySearch, refPage, type RefPage, type RefWindow } from '../service.ts'
import { protecting } from '../protected_refs/rules.ts'
import { tagProtectionsOf } from '../protected_refs/tags/store.ts'
import { moveRefs } from '../service-refs.ts'
import type { TagRow } from '../refs/entity.ts'
import { releasesOf } from '../store.ts'

/** The search and order of a list of tags. */
export interface TagQuery {
  readonly search?: string | undefined
  readonly order_by: 'updated' | 'name' | 'version'
  readonly sort: 'asc' | 'desc'
}

const ORDERS: Readonly<Record<TagQuery['order_by'], RefOrder>> = {
  updated: 'updated_asc',
  name: 'name',
  version: 'version',
}

/** The ability to read releases. It is repeated here because the releases domain imports this one. */
const READ_RELEASE = { from: GUEST, feature: 'releases', public: true } as const

/** Lists tags with their commits. */
export function findTags(
  ctx: Ctx,
  project: Project,
  query: TagQuery,
  window: RefWindow,
): Promise<RefPage<TagRow>> {
  return inRepository(ctx, project, async (repo) => {
    const all = await readTags(repo, { order: ORDERS[query.order_by] })
    const sorted = query.sort === 'asc' ? all : all.toReversed()
    const page = refPage(bySearch(sorted, query.search), window)
    return { ...page, rows: await rowsOf(ctx, project, repo, page.rows) }
  })
}

async function rowsOf(ctx: Ctx, project: Project, repo: Repo, tags: readonly GitTag[]): Promise<TagRow[]> {
  const commits = await readCommits(
    repo,
    tags.flatMap((tag) => tag.commit ?? []),
  )
  const byId = new Map(commits.map((commit) => [commit.id, commit]))
  const protections = tagProtectionsOf(ctx.db, project.id)
  const releases = hasAbility(ctx, scope, READ_RELEASE, project)
    ? releasesOf(
        ctx.db,
        project.id,
        tags.map((tag) => tag.name),
      )
    : undefined
  return tags.map((tag) => ({
    tag,
    commit: byId.get(tag.commit ?? '') ?? null,
    path: fullPath(project),
    protected: protecting(protections, tag.name).length > 0,
    release: releases?.get(tag.name) ?? null,
  }))
}

async function tagOrFail(repo: Repo, name: string): Promise<GitTag> {
  const tag = await findTag(repo, name)
  if (tag === null) throw notFound('Tag')
  return tag
}

/** Returns one tag by its name. */
export function getTag(ctx: Ctx, project: Project, name: string): Promise<TagRow> {
  return inRepository(ctx, project, async (repo) => {
    return (await rowsOf(ctx, project, repo, [await tagOrFail(repo, name)]))[0]!
  })
}

/** Creates a tag; with a message it becomes an annotated tag, with the actor as tagger. */
export function createTag(
  ctx: Ctx,
  project: Project,
  input: { tag_name: string; ref: string; message?: string | undefined },
): Promise<TagRow> {
  return inRepository(ctx, project, async (repo) => {
    const { tag_name: name, ref } = input
    if (!isTagName(name)) throw fail('bad_request', 'Tag name invalid')
    if ((await findTag(repo, name)) !== null) throw fail('bad_request', `Tag ${name} already exists`)
    const commit = await resolveCommit(repo, ref)
    if (commit === null) throw fail('bad_request', `Target ${ref} is invalid`)
    const message = input.message?.trim() ? input.message : undefined
    const target =
      message === undefined
        ? commit
        : await writeTagObject(repo, { name, target: commit, message, tagger: committerOf(ctx) })
    const change = { ref: `refs/tags/${name}`, old: null, new: target }
    const refusal = await runChecks({ ctx, project, repo, source: 'api', changes: [change] })
    if (refusal) throw fail(refusal.byPushRule ? 'bad_request' : 'forbidden', refusal.sentence)
    try {
      await moveRefs(ctx, project, { source: 'api', changes: [change] })
    } catch (error) {
      const alreadyExists = error instanceof GitRefError && error.problem === 'exists'
      throw alreadyExists ? fail('bad_request', `Tag ${name} already exists`) : error
    }
    return (await rowsOf(ctx, project, repo, [await tagOrFail(repo, name)]))[0]!
  })
}

/** Deletes a tag. `check` gets the creation date of the tag first, and may throw. */
export function deleteTag(
  ctx: Ctx,
  project: Project,
  name: string,
  check: (updatedAt: string) => void,
): Promise<void> {
  return inRepository(ctx, project, async (repo) => {
    const tag = await tagOrFail(repo, name)
    const change = { ref: tag.ref, old: tag.target, new: null }
    const refusal = await refusalOf({ ctx, project, repo, source: 'api', changes: [change] })
    if (refusal) throw fail('forbidden', refusal)
    const [commit] = tag.commit === null ? [] : await readCommits(repo, [tag.commit])
    const createdAt = tag.created_at ?? commit?.committed_date
    if (createdAt) check(createdAt)
    await moveRefs(ctx, project, { source: 'api', changes: [change] })
  })
}
