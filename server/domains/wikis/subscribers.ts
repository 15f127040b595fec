import type { Ctx } from '../../ctx.ts'
import { on, type Subscription } from '../../events/publish.ts'
import { repoAt } from '../../git/process/engine.ts'
import { removeRepository } from '../../git/upkeep/repository.ts'
import { GroupDeleted } from '../groups/events.ts'
import { ProjectDeleted } from '../projects/events.ts'
import { repositoryPath, storagesOf } from '../storage/index.ts'
import { groupWikiDiskPath, wikiDiskPath } from './service-repository.ts'

/** Deletes the repository of a deleted owner's wiki from all storages. */
async function removeAt(ctx: Ctx, disk_path: string): Promise<void> {
  for (const { name } of storagesOf(ctx)) {
    const path = repositoryPath(ctx, { repository_storage: name, disk_path })
    await removeRepository(repoAt(ctx.git, path, disk_path))
  }
}

export const subscribers: Subscription[] = [
  on(ProjectDeleted, 'wikis.remove_of_project', (ctx, { disk_path }) =>
    removeAt(ctx, wikiDiskPath(disk_path)),
  ),
  on(GroupDeleted, 'wikis.remove_of_group', (ctx, { group_id }) =>
    removeAt(ctx, groupWikiDiskPath(group_id)),
  ),
]
