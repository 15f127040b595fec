import type { Ctx } from '../../../ctx.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { isoDate } from '../../../lib/clock.ts'
import { notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { isMember } from '../protected_refs/entries.ts'
import { groupHasAccess } from '../protected_refs/store.ts'
import { inRepository } from '../repo.ts'
import { ownersOfPaths, readOwners } from './lookup.ts'
import type { OwnerProblem } from './parse.ts'
import * as store from './store.ts'

/** Who has to agree to a change of some files (spec administration 12.4): one for each pattern and section. */
export interface CodeOwnerRule {
  readonly section: string
  /** The pattern as written; it names the rule. */
  readonly pattern: string
  /** 0 where the section is optional. */
  readonly approvals_required: number
  readonly paths: readonly string[]
  /** Users who own the files by name or address, and groups; only those who have access to the project. */
  readonly user_ids: readonly number[]
  readonly group_ids: readonly number[]
  /** All who may give their consent: the users, and the direct members of the groups. */
  readonly eligible_ids: readonly number[]
}

/** The owners of files, as the file of code owners at a ref names them. Empty without such a file or ref. */
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

/** Looks all owners up at once; the returned function knows whom each of them stands for. */
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

/** What the file of code owners at a ref says wrong; `path` is null where there is none. Throws 404 for no such ref. */
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
