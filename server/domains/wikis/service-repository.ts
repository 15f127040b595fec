import type { Ctx } from '../../ctx.ts'
import { repoAt } from '../../git/engine.ts'
import { createBareRepository, repositoryExists, withWriteLock } from '../../git/repository.ts'
import type { Repo } from '../../git/types.ts'
import { projectById } from '../projects/index.ts'
import { settingsOf } from '../settings/index.ts'
import { clearRepositoryPath, pickStorage, repositoryPath } from '../storage/index.ts'
import * as store from './store.ts'
import type { WikiOwner, WikiRow } from './types.ts'

/** The handle of a wiki's repository. Making it asks the database where the project lies, and reads nothing of git. */
export function repoOfWiki(ctx: Pick<Ctx, 'git' | 'config' | 'db'>, wiki: WikiRow): Repo {
  const { disk_path } = wiki
  const project = wiki.project_id === null ? undefined : projectById(ctx.db, wiki.project_id)
  const { repository_storage } = project ?? wiki
  return repoAt(ctx.git, repositoryPath(ctx, { repository_storage, disk_path }), disk_path)
}

/** The wiki of an owner, once there is one. */
export function wikiOf(ctx: Pick<Ctx, 'db'>, { project, group }: WikiOwner): WikiRow | undefined {
  return project ? store.ofProject(ctx.db, project.id) : store.ofGroup(ctx.db, group!.id)
}

/** Where the pages of an owner are read; undefined while there is no repository. */
export function readingOf(ctx: Ctx, owner: WikiOwner): { wiki: WikiRow; repo: Repo } | undefined {
  const wiki = wikiOf(ctx, owner)
  return wiki?.repository_state === 'ready' ? { wiki, repo: repoOfWiki(ctx, wiki) } : undefined
}

/** The wiki of an owner with its repository, both made when they are first needed. */
export async function prepareWiki(ctx: Ctx, owner: WikiOwner): Promise<WikiRow> {
  const known = wikiOf(ctx, owner) ?? make(ctx, owner)
  if (known.repository_state === 'ready' && (await repositoryExists(repoOfWiki(ctx, known)))) return known
  return complete(ctx, known)
}

async function complete(ctx: Ctx, wiki: WikiRow): Promise<WikiRow> {
  const repo = repoOfWiki(ctx, wiki)
  const { default_branch: defaultBranch } = wiki
  // As the only writer: where the repositories are being moved, it is made at the new place.
  await withWriteLock(repo, () => createBareRepository(repo, { defaultBranch }))
  store.markReady(ctx.db, wiki.id)
  return { ...wiki, repository_state: 'ready' }
}

/** Makes the repositories of wikis whose making was cut off. To be called at the start. */
export async function finishWikis(ctx: Ctx): Promise<void> {
  for (const wiki of store.pending(ctx.db)) {
    try {
      await complete(ctx, wiki)
    } catch (error) {
      // One storage that is gone must not keep the instance from starting.
      ctx.log.error({ err: error, wiki_id: wiki.id }, 'the repository of a wiki could not be made')
    }
  }
}

function make(ctx: Ctx, owner: WikiOwner): WikiRow {
  const { project, group } = owner
  store.insert(ctx.db, {
    project_id: project?.id ?? null,
    group_id: group?.id ?? null,
    repository_storage: project ? project.repository_storage : pickStorage(ctx),
    disk_path: project ? wikiDiskPath(project.disk_path) : groupWikiDiskPath(group!.id),
    default_branch: settingsOf(ctx).default_branch_name || 'main',
    now: ctx.now,
  })
  const made = wikiOf(ctx, owner)!
  clearRepositoryPath(ctx, made)
  return made
}

/** Why a wiki takes no changes at the moment, as a sentence; undefined when it does. */
export function notWritable(ctx: Pick<Ctx, 'db'>, wiki: WikiRow): string | undefined {
  const project = wiki.project_id === null ? undefined : projectById(ctx.db, wiki.project_id)
  if (project?.archived === true) return 'This project is archived and cannot be changed.'
  return (project ?? wiki).repository_read_only ? READ_ONLY : undefined
}

const READ_ONLY = 'The repository is temporarily read-only. Please try again later.'

/** Where the wiki of a project lies: beside the code, in the same storage. `foo.git` has `foo.wiki.git`. */
export function wikiDiskPath(projectDiskPath: string): string {
  return projectDiskPath.replace(/\.git$/, '.wiki.git')
}

/** Where the wiki of a group lies in its storage; named by the id, so that it stays when the group moves. */
export function groupWikiDiskPath(groupId: number): string {
  return `@groups/${Math.floor(groupId / 1000)}/${groupId}.wiki.git`
}
