import type { Ctx } from '../../ctx.ts'
import { repoAt } from '../../git/process/engine.ts'
import { createBareRepository, repositoryExists, withWriteLock } from '../../git/upkeep/repository.ts'
import type { Repo } from '../../git/types.ts'
import { projectById } from '../projects/index.ts'
import { READ_ONLY } from '../repository/index.ts'
import { settingsOf } from '../settings/index.ts'
import { clearRepositoryPath, pickStorage, repositoryPath } from '../storage/index.ts'
import * as store from './store.ts'
import type { WikiOwner, WikiRow } from './types.ts'

/** The handle of a wiki's repository. Does not check that the repository exists on disk. */
export function repoOfWiki(ctx: Pick<Ctx, 'git' | 'config' | 'db'>, wiki: WikiRow): Repo {
  const { disk_path } = wiki
  const project = wiki.project_id === null ? undefined : projectById(ctx.db, wiki.project_id)
  const { repository_storage } = project ?? wiki
  return repoAt(ctx.git, repositoryPath(ctx, { repository_storage, disk_path }), disk_path)
}

/** The wiki of an owner; undefined if it does not exist. */
export function wikiOf(ctx: Pick<Ctx, 'db'>, { project, group }: WikiOwner): WikiRow | undefined {
  return project ? store.ofProject(ctx.db, project.id) : store.ofGroup(ctx.db, group!.id)
}

/** The wiki of an owner with its repository; undefined if there is no repository. */
export function wikiRepository(ctx: Ctx, owner: WikiOwner): { wiki: WikiRow; repo: Repo } | undefined {
  const wiki = wikiOf(ctx, owner)
  return wiki?.repository_state === 'ready' ? { wiki, repo: repoOfWiki(ctx, wiki) } : undefined
}

/** The wiki of an owner with its repository. Creates both on first use. */
export async function prepareWiki(ctx: Ctx, owner: WikiOwner): Promise<WikiRow> {
  const wiki = wikiOf(ctx, owner) ?? createRow(ctx, owner)
  if (wiki.repository_state === 'ready' && (await repositoryExists(repoOfWiki(ctx, wiki)))) return wiki
  return createRepository(ctx, wiki)
}

async function createRepository(ctx: Ctx, wiki: WikiRow): Promise<WikiRow> {
  const repo = repoOfWiki(ctx, wiki)
  const { default_branch: defaultBranch } = wiki
  // Waits for the end of a storage move. `repo` then has the new location.
  await withWriteLock(repo, () => createBareRepository(repo, { defaultBranch }))
  store.markReady(ctx.db, wiki.id)
  return { ...wiki, repository_state: 'ready' }
}

/** Creates the repositories that an interruption left missing. Runs when the instance starts. */
export async function finishWikis(ctx: Ctx): Promise<void> {
  for (const wiki of store.pending(ctx.db)) {
    try {
      await createRepository(ctx, wiki)
    } catch (error) {
      // A missing storage must not prevent the start of the instance.
      ctx.log.error({ err: error, wiki_id: wiki.id }, 'the repository of a wiki could not be created')
    }
  }
}

function createRow(ctx: Ctx, owner: WikiOwner): WikiRow {
  const { project, group } = owner
  store.insert(ctx.db, {
    project_id: project?.id ?? null,
    group_id: group?.id ?? null,
    repository_storage: project ? project.repository_storage : pickStorage(ctx),
    disk_path: project ? wikiDiskPath(project.disk_path) : groupWikiDiskPath(group!.id),
    default_branch: settingsOf(ctx).default_branch_name || 'main',
    now: ctx.now,
  })
  const created = wikiOf(ctx, owner)!
  clearRepositoryPath(ctx, created)
  return created
}

/** The reason why a wiki is read-only, as an error sentence; undefined for a writable wiki. */
export function notWritable(ctx: Pick<Ctx, 'db'>, wiki: WikiRow): string | undefined {
  const project = wiki.project_id === null ? undefined : projectById(ctx.db, wiki.project_id)
  if (project?.archived === true) return 'This project is archived and cannot be changed.'
  return (project ?? wiki).repository_read_only ? READ_ONLY : undefined
}

/** The path of a project's wiki on disk, next to the project: `foo.git` has `foo.wiki.git`. */
export function wikiDiskPath(projectDiskPath: string): string {
  return projectDiskPath.replace(/\.git$/, '.wiki.git')
}

/** The path of a group's wiki on disk. It uses the ID, so a transfer of the group does not change it. */
export function groupWikiDiskPath(groupId: number): string {
  return `@groups/${Math.floor(groupId / 1000)}/${groupId}.wiki.git`
}
