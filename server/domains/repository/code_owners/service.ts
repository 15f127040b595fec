import type { Ctx } from '../../../ctx.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { isoDate } from '../../../lib/clock.ts'
import { notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { isMember } from '../protected_refs/entries.ts'
import { groupHasAccess } from '../protected_refs/store.ts'
import { inRepository } from '../../projects/index.ts'
import { ownersOfPaths, readOwners } from './lookup.ts'
import type { OwnerProblem } from './parse.ts'
import * as store from './store.ts'

/** The owners who have to approve a change of some files (spec administration 12.4), for one pattern and section. */
export interface CodeOwnerRule {
  readonly section: string
  /** The pattern as written; it is also the name of the rule. */
  readonly pattern: string
  /** 0 if the section is optional. */
  readonly approvals_required: number
  readonly paths: readonly string[]
  /** Users who own the files by name or email address, and groups; only those with access to the project. */
  readonly user_ids: readonly number[]
  readonly group_ids: readonly number[]
  /** Everyone who may approve: the users, and the direct members of the groups. */
  readonly eligible_ids: readonly number[]
}

/** Returns the owners of files according to the CODEOWNERS file at a ref. Empty without such a file or ref. */
export function codeOwnersOf(
  ctx: Ctx,
  project: Project,
  ref: string,
  paths: readonly string[],
): Promise<CodeOwnerRule[]> {
  return inRepository(ctx, project, async (repo) => {
    const commit = await resolveCommit(repo, ref)
    const found = commit === null ? null : await readOwners(repo, commit)
    if (!found) return []
    const owned = await ownersOfPaths(found.file, paths)
    const known = resolveOwners(
      ctx,
      project,
      owned.flatMap(({ entry }) => entry.owners),
    )
    return owned.map(({ section, entry, paths: files }) => {
      const people = entry.owners.map((owner) => known(owner))
      return {
        section: section.name,
        pattern: entry.text,
        approvals_required: section.approvals,
        paths: files,
        user_ids: distinct(people.flatMap((one) => one.users)),
        group_ids: distinct(people.flatMap((one) => one.groups)),
        eligible_ids: distinct(people.flatMap((one) => [...one.users, ...one.members])),
      }
    })
  })
}

interface People {
  readonly users: readonly number[]
  readonly groups: readonly number[]
  readonly members: readonly number[]
}

function distinct(ids: readonly number[]): number[] {
  return [...new Set(ids)]
}

/** Loads all owners at once. The returned function resolves one name to its users and groups. */
function resolveOwners(ctx: Ctx, project: Project, owners: readonly string[]): (owner: string) => People {
  const names = owners.filter((one) => one.startsWith('@')).map((one) => one.slice(1).toLowerCase())
  const emails = owners.filter((one) => !one.startsWith('@')).map((one) => one.toLowerCase())
  const users = store.usersByName(ctx.db, names, emails).filter((user) => isMember(ctx, project, user.id))
  const today = isoDate(ctx.now)
  const groups = store
    .groupsByPath(ctx.db, names)
    .filter((group) => groupHasAccess(ctx.db, project, group.id, today))
  const members = store.membersOf(
    ctx.db,
    groups.map((group) => group.id),
    today,
  )
  return (owner) => {
    const name = owner.replace(/^@/, '').toLowerCase()
    const isName = owner.startsWith('@')
    const mine = users.filter((user) => (isName ? user.username : user.email).toLowerCase() === name)
    const own = isName ? groups.filter((group) => group.full_path.toLowerCase() === name) : []
    const ids = new Set(own.map((group) => group.id))
    return {
      users: mine.map((user) => user.id),
      groups: [...ids],
      members: members.filter((one) => ids.has(one.namespace_id)).map((one) => one.user_id),
    }
  }
}

/**
 * Returns the errors of the CODEOWNERS file at a ref; `path` is null if there is no file. Throws 404 for an unknown
 * ref.
 */
export function checkOwners(
  ctx: Ctx,
  project: Project,
  ref: string,
): Promise<{ path: string | null; problems: readonly OwnerProblem[] }> {
  return inRepository(ctx, project, async (repo) => {
    const commit = await resolveCommit(repo, ref)
    if (commit === null) throw notFound('Commit')
    const found = await readOwners(repo, commit)
    return { path: found?.path ?? null, problems: found?.file.problems ?? [] }
  })
}
